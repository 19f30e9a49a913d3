"""Parts of names whose values are secrets: `key` is that of `api_key`, too. The Rust side reads this very file."""

NAMES = (
    "auth",
    "bearer",
    "cookie",
    "credential",
    "key",
    "passphrase",
    "passw",
    "private",
    "pwd",
    "secret",
    "session",
    "token",
)
