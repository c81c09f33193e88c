import { joinPatterns } from '../../any-of.ts';
import type { Problem } from '../../problem.ts';
import { findLineProblems, type LineRule } from './lines.ts';

const SCRIPT = joinPatterns(
  /\.(?:sh|bash|zsh|ksh|mk|ps1)$/i,
  /(?:^|\/)(?:(?:GNU)?[Mm]akefile|Jenkinsfile|\.travis\.yml|\.gitlab-ci\.yml|\.envrc)$/i,
  /(?:^|\/)\.(?:github\/workflows|circleci|gitlab\/ci)\/[^/]+\.ya?ml$/i,
  /(?:^|\/)(?:Docker|Container)file(?:[.-][\w.-]+)?$|\.dockerfile$/i,
);

/** Matches a shell that executes its input. */
const SHELL = String.raw`(?:sudo[ \t]{1,4}(?:-\w{1,10}[ \t]{1,4}){0,3})?(?:/(?:usr/)?bin/)?(?:env[ \t]{1,4})?(?:ba|z|da|k)?sh\b`;
const FETCH = String.raw`\b(?:curl|wget)\b`;
const NEAR = String.raw`[^|\n]{0,300}`;
const piped = (scheme: string): RegExp =>
  new RegExp(
    // The lookahead for a pipe keeps the match linear on long lines.
    `${FETCH}(?=[^|\\n]{0,700}\\|)${NEAR}${scheme}://${NEAR}\\|[ \\t]{0,8}${SHELL}|\\b(?:ba|z)?sh\\b[ \\t]{1,4}(?:-c[ \\t]{1,4}["']?\\$\\(|<\\()[ \\t]{0,4}${FETCH}${NEAR}${scheme}://`,
    'm',
  );

const SCRIPT_RULES: readonly LineRule[] = [
  { rule: 'remote-script', severity: 'high', pattern: piped('http') },
  { rule: 'remote-script', severity: 'low', pattern: piped('(?:https|\\$\\w{1,40}|\\$\\{\\w{1,40}\\})') },
  {
    rule: 'world-writable',
    severity: 'low',
    pattern: /\bchmod[ \t]{1,4}(?:-\w{1,8}[ \t]{1,4}){0,3}(?:0?777|a\+rwx)(?!\w)/m,
  },
  {
    rule: 'tls-off',
    severity: 'low',
    pattern: joinPatterns(
      /\bcurl\b[^|;\n]{0,300}[ \t](?:-[a-zA-Z]{0,6}k[a-zA-Z]{0,6}|--insecure)(?=[ \t]|$)/m,
      /\bwget\b[^|;\n]{0,300}--no-check-certificate|http\.sslVerify[ \t=]{1,3}false/m,
      /NODE_TLS_REJECT_UNAUTHORIZED[=:][ \t]?["']?0|GIT_SSL_NO_VERIFY[=:][ \t]?["']?(?:1|true)/m,
    ),
  },
];

const tls = (pattern: RegExp): LineRule => ({ rule: 'tls-off', severity: 'medium', pattern });
const input = (pattern: RegExp): LineRule => ({ rule: 'input-executed', severity: 'critical', pattern });

const CODE: readonly { readonly path: RegExp; readonly rules: readonly LineRule[] }[] = [
  {
    path: /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte)$/,
    rules: [
      tls(
        /\brejectUnauthorized["']?\s{0,4}:\s{0,4}false\b|NODE_TLS_REJECT_UNAUTHORIZED["'\]]{0,3}\s{0,4}=\s{0,4}["'`]?0/m,
      ),
      input(
        /(?<![\w.])(?:eval|execSync|(?:child_process|cp)\.exec|new Function)\s{0,2}\([^\n]{0,80}\b(?:req|request|ctx\.request)\.(?:body|query|params|headers|cookies)\b/m,
      ),
    ],
  },
  {
    path: /\.py$/,
    rules: [
      tls(
        joinPatterns(
          /\b(?:requests|httpx|session|client)\.[^\n]{0,200}\bverify\s{0,2}=\s{0,2}False\b/m,
          /\b_create_unverified_context\b|\bverify_mode\s{0,2}=\s{0,2}ssl\.CERT_NONE\b/m,
          /\bsession\.verify\s{0,2}=\s{0,2}False\b/m,
        ),
      ),
      input(
        /(?<![\w.])(?:eval|exec|os\.system|os\.popen|subprocess\.\w{1,20}|pickle\.loads)\([^\n]{0,80}\brequest\.(?:args|form|values|GET|POST|json|data|get_json|cookies|body)\b/m,
      ),
    ],
  },
  { path: /\.go$/, rules: [tls(/\bInsecureSkipVerify\s{0,2}[:=]\s{0,8}true\b/m)] },
  {
    path: /\.rb$/,
    rules: [
      tls(/\bOpenSSL::SSL::VERIFY_NONE\b/m),
      input(/(?<![\w.])(?:eval|system|exec|instance_eval)[ (][^\n]{0,80}\bparams\[/m),
    ],
  },
  {
    path: /\.(?:cs|fs)$/,
    rules: [
      tls(
        /\bDangerousAcceptAnyServerCertificateValidator\b|ServerCertificate(?:Custom)?ValidationCallback\s{0,4}\+?=[^\n;]{0,120}=>\s{0,4}(?:\{\s{0,4}return\s{1,4})?true\b/m,
      ),
    ],
  },
  { path: /\.rs$/, rules: [tls(/\bdanger_accept_invalid_(?:certs|hostnames)\(\s{0,4}true/m)] },
  {
    path: /\.php$/,
    rules: [
      tls(
        /CURLOPT_SSL_VERIFY(?:PEER|HOST)\s{0,4}(?:,|=>)\s{0,4}(?:false|0)\b|["']verify_peer["']\s{0,4}=>\s{0,4}false/im,
      ),
      input(
        /(?<![\w>:])(?:eval|system|exec|passthru|shell_exec|popen|assert|unserialize)\s{0,2}\([^;\n]{0,80}\$_(?:GET|POST|REQUEST|COOKIE)\b/m,
      ),
    ],
  },
  { path: /(?:^|\/)\.(?:npmrc|yarnrc)$/, rules: [tls(/^\s{0,8}strict-ssl\s{0,4}[= ]\s{0,4}false/m)] },
];

/** Finds dangerous code: remote scripts piped to a shell, disabled certificate checks, and commands from request input. */
export function findScriptRisks(path: string, text: string): readonly Problem[] {
  const isScript = SCRIPT.test(path) || /^#!.{0,40}sh\b/.test(text.slice(0, 60));
  const code = CODE.filter((one) => one.path.test(path)).flatMap(({ rules }) => rules);
  return findLineProblems(text, [...(isScript ? SCRIPT_RULES : []), ...code]);
}

/** Finds risky npm scripts that run at installation. */
export function findPackageRisks(path: string, text: string): readonly Problem[] {
  if (!/(?:^|\/)package\.json$/.test(path)) return [];
  return findLineProblems(text, [
    {
      rule: 'install-script',
      severity: 'medium',
      pattern: /"(?:pre|post)?install"\s{0,4}:\s{0,4}"[^"\n]{0,300}(?:\b(?:curl|wget)\b|https?:\/\/)/m,
    },
  ]);
}
