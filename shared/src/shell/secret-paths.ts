import { posix } from 'node:path';

/** Paths that hold secrets, or that lead somewhere else than they say. Matched against the whole path, in lower case. */
const SECRETS: readonly RegExp[] = [
  /(^|\/)etc\/(shadow|gshadow|sudoers|security\/opasswd|krb5\.keytab|ssl\/private)/,
  // The environment and the memory of processes; root, cwd and fd lead out of /proc to any file.
  /(^|\/)proc\/.*\/?(environ|mem|auxv|maps|root|cwd|fd|fdinfo|map_files|exe)(\/|$)/,
  /(^|\/)proc\/(kcore|kmsg|sysrq-trigger)/,
  // Devices: endless, blocking or the whole disk.
  /^\/+dev\/(?!null$)/,
  /(^|\/)(run|var\/run)\/secrets(\/|$)/,
  /(^|\/)\.(ssh|aws|azure|gnupg|kube|docker|password-store|signalbox|config\/gcloud|config\/gh)(\/|$)/,
  /(^|\/)\.(netrc|npmrc|pypirc|pgpass|my\.cnf|git-credentials|htpasswd|vault-token|[a-z_]*history|s3cfg|boto)$/,
  /(^|\/)\.env(rc)?(\.(?!example$|sample$|template$)[^/]*)?$/,
  /(^|\/)(id_(rsa|dsa|ecdsa|ed25519)[^/]*|authorized_keys|ssh_host_[^/]*_key)$/,
  /\.(env|pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ovpn|tfstate|tfvars)(\.(bak|backup|enc|old|orig|txt))?$/,
  /(^|\/)(credentials?|secrets?|tokens?|passwords?)(\.(json|ya?ml|toml|ini|conf|cfg|txt|csv|xml|properties))?$/,
  /(^|\/)\.git\/(config|credentials)$/,
  /^\/+root(\/|$)/,
];

/**
 * The sentence about the first of these words that names a place of secrets, or null. Words that are no paths at all are
 * looked at as well: rather one question too many.
 */
export function findSecretPath(words: readonly string[]): string | null {
  const found = words.find((word) => spellings(word).some((path) => SECRETS.some((secret) => secret.test(path))));
  return found === undefined ? null : `It reads a place where secrets are kept or a device: '${found.slice(0, 60)}'.`;
}

/** A path can stand behind a colon, as in `HEAD:.env`, and can be written with detours. */
function spellings(word: string): readonly string[] {
  const lower = word.toLowerCase();
  return [lower, ...lower.split(/[:=,]/)].filter((part) => part !== '').map((part) => posix.normalize(part));
}
