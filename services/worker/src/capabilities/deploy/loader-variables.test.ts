import { describe, expect, it } from 'vitest';
import { isLoaderVariable } from './loader-variables.ts';

describe('the name of a variable', () => {
  it.each([
    ...[
      'NODE_OPTIONS',
      'node_options',
      'NODE_PATH',
      'NODE_EXTRA_CA_CERTS',
      'LD_PRELOAD',
      'LD_LIBRARY_PATH',
      'LD_AUDIT',
      'GLIBC_TUNABLES',
    ],
    ...[
      'PYTHONSTARTUP',
      'PYTHONPATH',
      'PYTHONHOME',
      'PERL5OPT',
      'PERL5LIB',
      'RUBYOPT',
      'RUBYLIB',
      'JAVA_TOOL_OPTIONS',
      '_JAVA_OPTIONS',
    ],
    ...[
      'GIT_SSH_COMMAND',
      'GIT_CONFIG_GLOBAL',
      'GIT_EXTERNAL_DIFF',
      'BASH_ENV',
      'ENV',
      'PATH',
      'HOME',
      'IFS',
      'DYLD_INSERT_LIBRARIES',
    ],
    ...[
      'npm_config_script_shell',
      'npm_config_node_options',
      'JDK_JAVA_OPTIONS',
      'MYTOOL_PRELOAD',
      'OPENSSL_CONF',
      'DOTNET_STARTUP_HOOKS',
    ],
    ...[
      'SIGNALBOX_INSTANCE',
      'PIP_INDEX_URL',
      'CARGO_BUILD_RUSTC_WRAPPER',
      'MAVEN_OPTS',
      'SSH_ASKPASS',
      'PHPRC',
      'CLASSPATH',
    ],
  ])('%s changes what is run', (name) => expect(isLoaderVariable(name)).toBe(true));

  it.each([
    'LOG_LEVEL',
    'GREETING',
    'DATABASE_URL',
    'API_TOKEN',
    'NODE_ENV',
    'PORT',
    'FEATURE_FLAGS',
    'STRIPE_KEY',
    'LANG',
    'TZ',
  ])('%s changes what a program does, and no more', (name) => expect(isLoaderVariable(name)).toBe(false));
});
