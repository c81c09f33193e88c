import { posix } from 'node:path';

/** Ends of files in which programs keep settings, as patterns. */
const SETTINGS = 'json y*ml toml ini conf cfg txt csv xml properties'.split(' ');

/** Paths that hold secrets, or that lead somewhere else than they say. Matched against the whole path, in lower case. */
const SECRETS: readonly RegExp[] = [
  /(^|\/)etc\/(shadow|gshadow|sudoers|security\/opasswd|krb5\.keytab|ssl\/private|ipsec\.|ppp\/|apt\/auth|kubernetes|rancher)/,
  /(^|\/)etc\/(wireguard|openvpn|wpa_supplicant|networkmanager|netplan|letsencrypt|mysql\/debian|cloud|docker|default|environment)/,
  // Copies of the above, such as /var/backups/shadow.bak.
  /(^|\/)g?shadow(-|\.bak|\.old|\.orig)?$/,
  // Units of the operator's own have their environment in them.
  /(^|\/)systemd\/(system|user)\/.*\.(service|conf|env)$/,
  // What engines and databases keep: the environment of containers, keys of clusters, rows.
  /(^|\/)var\/lib\/(docker|containerd|containers|kubelet|etcd|cloud|rancher|signalbox|vault|postgresql|mysql|mongodb|redis)(\/|$)/,
  // The environment and the memory of processes; root, cwd and fd lead out of /proc to any file.
  /(^|\/)proc\/.*\/?(environ|mem|auxv|maps|root|cwd|fd|fdinfo|map_files|exe)(\/|$)/,
  /(^|\/)proc\/(kcore|vmcore|kmsg|keys|sysrq-trigger)/,
  /(^|\/)sys\/.*trace_pipe/,
  // Devices: endless, blocking or the whole disk.
  /^\/+dev\/(?!null$)/,
  /(^|\/)(secrets?|credentials?)\//,
  /(^|\/)(run|var\/run)\/(secrets|credentials)(\/|$)/,
  /(^|\/)\.(ssh|aws|azure|gnupg|kube|docker|password-store|signalbox|config\/(gcloud|gh|rclone|op|doctl|hub))(\/|$)/,
  /(^|\/)\.(netrc|npmrc|pypirc|pgpass|my\.cnf|mylogin\.cnf|git-credentials|htpasswd|vault-token|[a-z_]*history|s3cfg|boto)$/,
  /(^|\/)\.env(rc)?(\.(?!example$|sample$|template$)[^/]*)?$/,
  /(^|\/)(id_(rsa|dsa|ecdsa|ed25519)[^/]*|authorized_keys|ssh_host_[^/]*_key)$/,
  /\.(env|pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ovpn|tfstate|tfvars)(\.(bak|backup|enc|old|orig|txt))?$/,
  /(^|\/)\.?(credentials?|secrets?|tokens?|passwords?|auth)(\.(json|ya?ml|toml|ini|conf|cfg|txt|csv|xml|properties))?$/,
  /(^|\/)[^/]*(credential|secret|passw(or)?d)[^/]*\.(json|ya?ml|toml|ini|conf|cfg|txt|csv|xml|properties)$/,
  // Also that of a submodule and of a worktree.
  /(^|\/)\.git\/(.*\/)?(config(\.worktree)?|credentials)$/,
  /^\/+root(\/|$)/,
];

/**
 * The sentence about the first of these words that names a place of secrets, or null. Words that are no paths at all are
 * looked at as well: rather one question too many.
 */
export function findSecretPath(words: readonly string[]): string | null {
  const found = [...new Set(words)].find((word) =>
    spellings(word).some((path) => SECRETS.some((secret) => secret.test(path))),
  );
  return found === undefined ? null : `It reads a place where secrets are kept or a device: '${found.slice(0, 60)}'.`;
}

/**
 * What a search through folders leaves out, as patterns of file names: it would print secrets in files that the command does not name. The same names
 * as above, but no case: a file system of Linux has names as they are.
 */
export const SECRET_FILES: readonly string[] = [
  // Copies that editors make.
  ...'*~ #*# .*.sw?'.split(' '),
  ...'.env .env.* *.env .envrc* .netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .git-credentials .htpasswd .vault-token'.split(
    ' ',
  ),
  ...'.*history* .s3cfg .boto id_rsa* id_dsa* id_ecdsa* id_ed25519* authorized_keys ssh_host_*_key shadow* gshadow* sudoers'.split(
    ' ',
  ),
  ...'env pem key p12 pfx jks keystore kdbx asc gpg ovpn tfstate tfvars'
    .split(' ')
    .flatMap((end) => [`*.${end}`, `*.${end}.*`]),
  ...'credential credentials secret secrets token tokens password passwords auth'
    .split(' ')
    .flatMap((name) => [name, `.${name}`]),
  ...'credential secret passw'.split(' ').flatMap((part) => SETTINGS.map((end) => `*${part}*.${end}`)),
  ...'token tokens auth .token .tokens .auth'.split(' ').flatMap((name) => SETTINGS.map((end) => `${name}.${end}`)),
];

/** Folders that a search leaves out, whatever their files are called. */
export const SECRET_FOLDERS: readonly string[] =
  '.git .ssh .aws .azure .gnupg .kube .docker .password-store .signalbox secret secrets credential credentials'.split(
    ' ',
  );

/** Folders in which a search through everything meets secrets and devices under any name; of /etc, all but those of servers. */
const TOO_WIDE: readonly RegExp[] = [
  /^\/(proc|sys|dev|root|run|boot|var\/(run|lib|backups|spool|cache|mail))(\/|$)/,
  /^\/((home(\/[^/]+)?|var)\/?)?$/,
  /^\/etc(\/?$|\/(?!(nginx|apache2|httpd|haproxy|caddy|logrotate\.d|rsyslog\.d|sysctl\.d|fail2ban)(\/|$)))/,
];
/** Leads up, or into a repository's own folder, by whatever way. */
const LEADS_AWAY = /(^|\/)(\.\.|\.git)(\/|$)/i;

/** Whether a search through all of a folder meets what is private. */
export function isWideFolder(path: string): boolean {
  const normal = posix.normalize(path);
  return LEADS_AWAY.test(path) || TOO_WIDE.some((folders) => folders.test(normal));
}

/** A path can stand behind a colon, as in `HEAD:.env`, and can be written with detours. */
function spellings(word: string): readonly string[] {
  const lower = word.toLowerCase();
  const parts = [lower, ...lower.split(/[:=,]/)].filter((part) => part !== '');
  const plain = parts.flatMap((part) => [posix.normalize(part), ...afterDetours(part)]);
  return [...new Set(plain.flatMap((path) => [path, original(path)]))];
}

/** What a copy was made of, by its name: `.env~`, `.env.swp`, `shadow.gz` and `#.env#` hold what the original holds. */
function original(path: string): string {
  const plain = path.replace(/(~|\.(bak|backup|old|orig|save|copy|swp|swo|gz|bz2|xz|zst|enc|\d))+$/, '');
  return plain.replace(/(^|\/)#([^/]*)#$/, '$1$2');
}

/** By way of a link `..` leads anywhere: /var/run/../root is /root, as /var/run is /run. What follows is looked at as if it were on top. */
function afterDetours(path: string): readonly string[] {
  const names = path.split('/').slice(0, 100);
  return names.flatMap((name, place) =>
    name === '..' ? [posix.normalize(`/${names.slice(place + 1).join('/')}`)] : [],
  );
}
