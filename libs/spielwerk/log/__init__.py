"""The event log: its port, the adapters for JetStream and memory, and what they need."""
