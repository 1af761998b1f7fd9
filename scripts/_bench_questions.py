"""What the benchmarks ask of a memory of the standard library."""

QUESTIONS = (
    "how is the session token refreshed",
    "why does the socket timeout not reset the connection",
    "which codec decodes the header of a mail message",
    "where are temporary files removed after a crash",
    "what happens when the json decoder meets a lone surrogate",
    "how are worker threads joined when the interpreter shuts down",
)
