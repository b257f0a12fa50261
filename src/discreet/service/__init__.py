"""The decision service: live runs over HTTP. It needs the extra ``serve``."""
