/**
 * Variables by which whoever sets them runs code of their own in every program that is started with them: those of the dynamic loader,
 * of interpreters, shells, build tools, git and package managers, and where programs and home folders are.
 */
const NAMES = new Set([
  'PATH',
  'HOME',
  'SHELL',
  'IFS',
  'ENV',
  'CDPATH',
  'SHELLOPTS',
  'BASHOPTS',
  'PS4',
  'PROMPT_COMMAND',
  'PAGER',
  'EDITOR',
  'VISUAL',
  'TMPDIR',
  'LOCPATH',
  'NLSPATH',
  'GCONV_PATH',
  'HOSTALIASES',
  'RES_OPTIONS',
  'TERMINFO',
  'TERMINFO_DIRS',
  'CLASSPATH',
  'ZDOTDIR',
  'MAKEFLAGS',
  'MAKEFILES',
  'CC',
  'CXX',
  'CFLAGS',
  'LDFLAGS',
  'GOFLAGS',
  'RUSTFLAGS',
  'RUSTC_WRAPPER',
  'INIT_CWD',
]);

const PREFIXES = [
  'LD_',
  'DYLD_',
  'GLIBC_',
  'MALLOC_',
  'GCONV_',
  'NODE_',
  'NPM_',
  'YARN_',
  'PNPM_',
  'COREPACK_',
  'BUN_',
  'DENO_',
  'TSX_',
  'PYTHON',
  'PIP_',
  'UV_',
  'PERL',
  'RUBY',
  'GEM_',
  'BUNDLE_',
  'PHP_',
  'PHPRC',
  'LUA_',
  'JAVA_',
  'JDK_',
  '_JAVA_',
  'MAVEN_',
  'GRADLE_',
  'DOTNET_',
  'CORECLR_',
  'COMPLUS_',
  'CARGO_',
  'GIT_',
  'SSH_',
  'BASH_',
  'OPENSSL_',
  'XDG_',
  'SIGNALBOX_',
];

/** Ends of names by which tools say what they load or how they are called. */
const ENDS = ['_PRELOAD', '_OPTIONS', '_OPTS', '_TOOL_OPTIONS', '_WRAPPER', '_STARTUP'];

/** Harmless although they begin like the others, and what services are most often given. */
const HARMLESS = new Set(['NODE_ENV']);

/** Whether a variable of this name changes what is run, whatever its case: npm takes either. */
export function isLoaderVariable(name: string): boolean {
  const upper = name.toUpperCase();
  if (HARMLESS.has(upper)) return false;
  return (
    NAMES.has(upper) || PREFIXES.some((prefix) => upper.startsWith(prefix)) || ENDS.some((end) => upper.endsWith(end))
  );
}
