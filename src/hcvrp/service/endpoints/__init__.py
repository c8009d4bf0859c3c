"""The REST interface, each endpoint in a few lines."""
