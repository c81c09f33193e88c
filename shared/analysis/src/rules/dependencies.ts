import { rule, type Rules } from './rule.ts';

/** Rules by name: `dependencies/no-lock-file`. */
export const DEPENDENCIES_RULES = {
  'dependencies/no-lock-file': rule('rules-dependencies.noLockFile', 'rules-dependencies.noLockFileWhy'),
  'dependencies/two-lock-files': rule('rules-dependencies.twoLockFiles', 'rules-dependencies.twoLockFilesWhy'),
  'dependencies/broken-lock-file': rule('rules-dependencies.brokenLockFile', 'rules-dependencies.brokenLockFileWhy'),
  'dependencies/lock-out-of-step': rule('rules-dependencies.lockOutOfStep', 'rules-dependencies.lockOutOfStepWhy'),
  'dependencies/moving-git-source': rule('rules-dependencies.movingGitSource', 'rules-dependencies.movingGitSourceWhy'),
  'dependencies/git-source': rule('rules-dependencies.gitSource', 'rules-dependencies.gitSourceWhy'),
  'dependencies/url-source': rule('rules-dependencies.urlSource', 'rules-dependencies.urlSourceWhy'),
  'dependencies/path-outside': rule('rules-dependencies.pathOutside', 'rules-dependencies.pathOutsideWhy'),
  'dependencies/insecure-source': rule('rules-dependencies.insecureSource', 'rules-dependencies.insecureSourceWhy'),
  'dependencies/insecure-registry': rule(
    'rules-dependencies.insecureRegistry',
    'rules-dependencies.insecureRegistryWhy',
  ),
  'dependencies/any-version': rule('rules-dependencies.anyVersion', 'rules-dependencies.anyVersionWhy'),
  'dependencies/unpinned': rule('rules-dependencies.unpinned', 'rules-dependencies.unpinnedWhy'),
  'dependencies/no-integrity': rule('rules-dependencies.noIntegrity', 'rules-dependencies.noIntegrityWhy'),
  'dependencies/deprecated': rule('rules-dependencies.deprecated', 'rules-dependencies.deprecatedWhy'),
  'dependencies/deprecated-below': rule('rules-dependencies.deprecatedBelow', 'rules-dependencies.deprecatedBelowWhy'),
  'dependencies/many-versions': rule('rules-dependencies.manyVersions', 'rules-dependencies.manyVersionsWhy'),
  'dependencies/install-script': rule('rules-dependencies.installScript', 'rules-dependencies.installScriptWhy'),
  'licences/none': rule('rules-dependencies.licencesNone', 'rules-dependencies.licencesNoneWhy'),
  'licences/mismatch': rule('rules-dependencies.licencesMismatch', 'rules-dependencies.licencesMismatchWhy'),
  'licences/invalid-expression': rule('rules-dependencies.licencesInvalid', 'rules-dependencies.licencesInvalidWhy'),
  'licences/copyleft': rule('rules-dependencies.licencesCopyleft', 'rules-dependencies.licencesCopyleftWhy'),
  'advisories/known-weakness': rule('rules-dependencies.knownWeakness', 'rules-dependencies.knownWeaknessWhy'),
} satisfies Rules;
