/** Environment variables that make the dynamic loader, an interpreter or a runtime load other code. */
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

/** Harmless, common names, although a pattern below matches them. */
const HARMLESS = new Set(['NODE_ENV']);

/** Patterns for names of variables that point a program to code or arguments. */
const LOOKS = [
  /(?:^|_)(?:ADD)?OPT(?:ION)?S?$/,
  /(?:^|_)ARGS$/,
  /PATHS?$/,
  /MODULE/,
  /PRELOAD/,
  /PLUGIN/,
  /(?:^|_)LOADER(?:_|$)/,
  // The variable's value names a program to run.
  /_(?:BIN|BINARY|EXECUTABLE|EXEC|COMMAND|CMD|ASKPASS|PAGER|EDITOR)$/,
  /^(?:HTTPS?|FTP|ALL)_PROXY$/,
  /^UWSGI_/,
  /_(?:HOOKS?|STARTUP|WRAPPER|PROFILER|INIT|EXTENSIONS?|LIBS?|LIBRARY|DRIVERS?|CONFIG_FILE)$/,
];

/** Variables that load code although no pattern above matches their names. */
const ASKED = new Set(
  `GETCONF_DIR LOCALDOMAIN RESOLV_HOST_CONF TZDIR ELECTRON_RUN_AS_NODE BABEL_CONFIG_FILE VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT UWSGI_INI
   UVICORN_APP HYPERCORN_CONFIG FLASK_APP IPYTHONDIR SETUPTOOLS_USE_DISTUTILS RAILS_GEMFILE PUMA_CONFIG RACK_HANDLER BOOTSNAP_CACHE_DIR
   IRBRC COMPOSER_HOME COMPOSER_VENDOR_DIR SPRING_CONFIG_LOCATION SPRING_CONFIG_IMPORT SPRING_CONFIG_ADDITIONAL_LOCATION LOADER_MAIN
   COR_ENABLE_PROFILING ASPNETCORE_HOSTINGSTARTUPASSEMBLIES MONO_CONFIG NUGET_PACKAGES GOROOT GOPROXY GODEBUG GOENV GOTOOLCHAIN GONOSUMDB
   CGO_CFLAGS CGO_LDFLAGS GTK_EXE_PREFIX VK_ICD_FILENAMES OCL_ICD_VENDORS FONTCONFIG_FILE XLOCALEDIR SSLKEYLOGFILE SSL_CERT_FILE
   SSL_CERT_DIR CURL_HOME CURL_CA_BUNDLE REQUESTS_CA_BUNDLE WGETRC NETRC KRB5_CONFIG LDAPCONF LDAPRC SOFTHSM2_CONF SVN_SSH LESSOPEN
   LESSCLOSE MANPAGER BROWSER R_PROFILE R_PROFILE_USER R_ENVIRON_USER R_LIBS_USER ERL_FLAGS ERL_AFLAGS GAWK_EXTENSION OCAMLRUNPARAM
   TERMCAP INPUTRC PGSYSCONFDIR PGSERVICEFILE PGPASSFILE MYSQL_HOME ODBCSYSINI ODBCINI ORACLE_HOME TNS_ADMIN SQLITE_TMPDIR
   OTEL_NODE_ENABLED_INSTRUMENTATIONS KUBECONFIG DOCKER_CONFIG ANSIBLE_CONFIG AWS_SHARED_CREDENTIALS_FILE
   AWS_CONTAINER_CREDENTIALS_FULL_URI NGX_CONF_INCLUDE KSH_ENV TS_NODE_PROJECT TS_NODE_COMPILER TCL_LIBRARY JULIA_DEPOT_PATH
   PSQLRC VIMINIT EXINIT`.split(/\s+/),
);

/** `known`: the variable changes which code runs, and is refused. `likely`: a person has to check. Ignores case, as npm does. */
export function classifyVariable(name: string): 'known' | 'likely' | null {
  const upper = name.toUpperCase();
  if (HARMLESS.has(upper)) return null;
  if (NAMES.has(upper) || PREFIXES.some((prefix) => upper.startsWith(prefix))) return 'known';
  return ASKED.has(upper) || LOOKS.some((form) => form.test(upper)) ? 'likely' : null;
}
