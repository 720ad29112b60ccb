"""gRPC plumbing: the host of services, errors, tokens and channels."""
