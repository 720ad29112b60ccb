"""What a ranking is: totals, scores, order and periods; pure, used live and in a rebuild."""
