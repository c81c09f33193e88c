import { say, type MessageKey } from '../say.ts';
import type { Rule, Rules } from './rule.ts';

const rule = (found: MessageKey, why: MessageKey): Rule => ({
  say: (values) => say(found, values),
  why: () => say(why),
});

/** By analyzer and rule: `code/long-function`. */
export const QUALITY_RULES = {
  'code/long-function': rule('rules-quality.longFunction', 'rules-quality.longFunctionWhy'),
  'code/complex-function': rule('rules-quality.complexFunction', 'rules-quality.complexFunctionWhy'),
  'code/deep-nesting': rule('rules-quality.deepNesting', 'rules-quality.deepNestingWhy'),
  'code/many-parameters': rule('rules-quality.manyParameters', 'rules-quality.manyParametersWhy'),
  'code/long-file': rule('rules-quality.longFile', 'rules-quality.longFileWhy'),
  'code/swallowed-error': rule('rules-quality.swallowedError', 'rules-quality.swallowedErrorWhy'),
  'code/debug-leftover': rule('rules-quality.debugLeftover', 'rules-quality.debugLeftoverWhy'),
  'code/focused-test': rule('rules-quality.focusedTest', 'rules-quality.focusedTestWhy'),
  'code/skipped-test': rule('rules-quality.skippedTest', 'rules-quality.skippedTestWhy'),
  'code/merge-conflict': rule('rules-quality.mergeConflict', 'rules-quality.mergeConflictWhy'),
  'code/commented-out-code': rule('rules-quality.commentedOutCode', 'rules-quality.commentedOutCodeWhy'),
  'code/open-notes': rule('rules-quality.openNotes', 'rules-quality.openNotesWhy'),
  'duplicates/copied-code': rule('rules-quality.copiedCode', 'rules-quality.copiedCodeWhy'),
  'hot-spots/complex-and-changed': rule('rules-quality.complexAndChanged', 'rules-quality.complexAndChangedWhy'),
  'hot-spots/one-author': rule('rules-quality.oneAuthor', 'rules-quality.oneAuthorWhy'),
  'health/no-tests': rule('rules-quality.noTests', 'rules-quality.noTestsWhy'),
  'health/untested-module': rule('rules-quality.untestedModule', 'rules-quality.untestedModuleWhy'),
  'health/no-ci': rule('rules-quality.noCi', 'rules-quality.noCiWhy'),
  'health/ci-without-tests': rule('rules-quality.ciWithoutTests', 'rules-quality.ciWithoutTestsWhy'),
  'health/no-readme': rule('rules-quality.noReadme', 'rules-quality.noReadmeWhy'),
  'health/no-ignore-file': rule('rules-quality.noIgnoreFile', 'rules-quality.noIgnoreFileWhy'),
  'health/committed-dependencies': rule(
    'rules-quality.committedDependencies',
    'rules-quality.committedDependenciesWhy',
  ),
  'health/committed-build': rule('rules-quality.committedBuild', 'rules-quality.committedBuildWhy'),
  'health/committed-junk': rule('rules-quality.committedJunk', 'rules-quality.committedJunkWhy'),
  'health/large-file': rule('rules-quality.largeFile', 'rules-quality.largeFileWhy'),
  'documentation/readme-without-commands': rule(
    'rules-quality.readmeWithoutCommands',
    'rules-quality.readmeWithoutCommandsWhy',
  ),
  'documentation/dead-link': rule('rules-quality.deadLink', 'rules-quality.deadLinkWhy'),
  'documentation/dead-anchor': rule('rules-quality.deadAnchor', 'rules-quality.deadAnchorWhy'),
  'documentation/missing-image': rule('rules-quality.missingImage', 'rules-quality.missingImageWhy'),
  'documentation/link-outside': rule('rules-quality.linkOutside', 'rules-quality.linkOutsideWhy'),
  'documentation/unknown-script': rule('rules-quality.unknownScript', 'rules-quality.unknownScriptWhy'),
  'documentation/missing-page': rule('rules-quality.missingPage', 'rules-quality.missingPageWhy'),
} satisfies Rules;
