//! What of a command line may be written down: values of options that look like secrets are left out.

/// Parts of names whose values are secrets.
const WORDS: [&str; 7] = ["token", "key", "password", "passwd", "secret", "credential", "auth"];

/// Stands for what is left out.
const HIDDEN: &str = "***";

/// The arguments, secrets hidden: `--api-key=x`, `--token x`, `PASSWORD=x`, and what stands before an `@` in an address.
pub fn hide(arguments: &[String]) -> Vec<String> {
    let is_secret = |name: &str| {
        let name = name.to_lowercase();
        WORDS.iter().any(|word| name.contains(word))
    };
    let mut hides_next = false;
    let shown = arguments.iter().map(|argument| {
        if std::mem::take(&mut hides_next) && !argument.starts_with('-') {
            return HIDDEN.to_owned();
        }
        if let Some((name, _)) = argument.split_once('=').filter(|(name, _)| is_secret(name)) {
            return format!("{name}={HIDDEN}");
        }
        hides_next = argument.starts_with('-') && !argument.contains('=') && is_secret(argument);
        match (argument.find("://"), argument.rfind('@')) {
            (Some(from), Some(to)) if from + 3 <= to => {
                format!("{}{HIDDEN}{}", &argument[..from + 3], &argument[to..])
            }
            _ => argument.clone(),
        }
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secrets_are_hidden() {
        let hidden = |text: &str| {
            let arguments: Vec<String> = text.split(' ').map(str::to_owned).collect();
            hide(&arguments).join(" ")
        };
        assert_eq!(hidden("train.py --api-key=abc --lr 0.1"), "train.py --api-key=*** --lr 0.1");
        assert_eq!(hidden("x --hf_token abc --epochs 3"), "x --hf_token *** --epochs 3");
        assert_eq!(hidden("x --use-auth --epochs 3"), "x --use-auth --epochs 3");
        assert_eq!(hidden("WANDB_API_KEY=abc python"), "WANDB_API_KEY=*** python");
        assert_eq!(hidden("--data s3://user:pass@host/x"), "--data s3://***@host/x");
    }
}
