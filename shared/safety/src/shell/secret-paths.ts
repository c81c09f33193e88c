import { posix } from 'node:path';

/** Extensions of settings files, as patterns. */
const SETTINGS = 'json y*ml toml ini conf cfg txt csv xml properties'.split(' ');

/** Matches lowercase paths that hold secrets or lead to other files. */
const SECRETS: readonly RegExp[] = [
  /(^|\/)etc\/(shadow|gshadow|sudoers|security\/opasswd|krb5\.keytab|ssl\/private|ipsec\.|ppp\/|apt\/auth|kubernetes|rancher)/,
  /(^|\/)etc\/(wireguard|openvpn|wpa_supplicant|networkmanager|netplan|letsencrypt|mysql\/debian|cloud|docker|default|environment)/,
  // Matches copies of the password file, such as /var/backups/shadow.bak.
  /(^|\/)g?shadow(-|\.bak|\.old|\.orig)?$/,
  // Matches unit files of operators, which contain environments.
  /(^|\/)systemd\/(system|user)\/.*\.(service|conf|env)$/,
  // Matches data of engines and databases: environments of containers, cluster keys, rows.
  /(^|\/)var\/lib\/(docker|containerd|containers|kubelet|etcd|cloud|rancher|signalbox|vault|postgresql|mysql|mongodb|redis)(\/|$)/,
  // Matches environment and memory of processes; root, cwd and fd lead to any file.
  /(^|\/)proc\/.*\/?(environ|mem|auxv|maps|root|cwd|fd|fdinfo|map_files|exe)(\/|$)/,
  /(^|\/)proc\/(kcore|vmcore|kmsg|keys|sysrq-trigger)/,
  /(^|\/)sys\/.*trace_pipe/,
  // Matches devices, which may be endless, block, or be a whole disk.
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
  // Matches a repository's configuration, also of a submodule or worktree.
  /(^|\/)\.git\/(.*\/)?(config(\.worktree)?|credentials)$/,
  /^\/+root(\/|$)/,
];

/** Describes the first word that names a path with secrets; null when no word does. Words that are no paths are checked too. */
export function findSecretPath(words: readonly string[]): string | null {
  const found = [...new Set(words)].find((word) =>
    listSpellings(word).some((path) => SECRETS.some((secret) => secret.test(path))),
  );
  return found === undefined ? null : `It reads a place where secrets are kept or a device: '${found.slice(0, 60)}'.`;
}

/**
 * File name patterns that recursive searches exclude, because they would print secrets of files that the command does not name.
 * Case-sensitive, as on Linux file systems.
 */
export const SECRET_FILES: readonly string[] = [
  // Matches copies that editors make.
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

/** Folders that recursive searches exclude. */
export const SECRET_FOLDERS: readonly string[] =
  '.git .ssh .aws .azure .gnupg .kube .docker .password-store .signalbox secret secrets credential credentials'.split(
    ' ',
  );

/** Folders where a recursive search finds secrets and devices under any name; for /etc, all except servers' folders. */
const TOO_WIDE: readonly RegExp[] = [
  /^\/(proc|sys|dev|root|run|boot|var\/(run|lib|backups|spool|cache|mail))(\/|$)/,
  /^\/((home(\/[^/]+)?|var)\/?)?$/,
  /^\/etc(\/?$|\/(?!(nginx|apache2|httpd|haproxy|caddy|logrotate\.d|rsyslog\.d|sysctl\.d|fail2ban)(\/|$)))/,
];
const LEADS_AWAY = /(^|\/)(\.\.|\.git)(\/|$)/i;

/** True when a recursive search of a folder would read private data. */
export function holdsPrivateData(path: string): boolean {
  const normal = posix.normalize(path);
  return LEADS_AWAY.test(path) || TOO_WIDE.some((folders) => folders.test(normal));
}

/** Lists the spellings of a path: after a colon, as in `HEAD:.env`, and without `.` or `..`. */
function listSpellings(word: string): readonly string[] {
  const lower = word.toLowerCase();
  const parts = [lower, ...lower.split(/[:=,]/)].filter((part) => part !== '');
  const plain = parts.flatMap((part) => [posix.normalize(part), ...listAfterDetours(part)]);
  return [...new Set(plain.flatMap((path) => [path, toOriginalName(path)]))];
}

/** Returns the original name of a copy: `.env~`, `.env.swp`, `shadow.gz` and `#.env#` hold the original's content. */
function toOriginalName(path: string): string {
  const plain = path.replace(/(~|\.(bak|backup|old|orig|save|copy|swp|swo|gz|bz2|xz|zst|enc|\d))+$/, '');
  return plain.replace(/(^|\/)#([^/]*)#$/, '$1$2');
}

/** Lists the paths after `..`, which may lead anywhere through a link (/var/run/../root is /root): each path is checked as absolute. */
function listAfterDetours(path: string): readonly string[] {
  const names = path.split('/').slice(0, 100);
  return names.flatMap((name, place) =>
    name === '..' ? [posix.normalize(`/${names.slice(place + 1).join('/')}`)] : [],
  );
}
