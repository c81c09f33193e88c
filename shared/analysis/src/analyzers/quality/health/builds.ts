import { anyOf } from '../../any-of.ts';

/** Configuration files of common CI systems. */
const BUILD_FILES = anyOf(
  /^(?:\.(?:github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.gitlab\/ci\/[^/]+\.ya?ml)$/,
  /^(?:\.circleci\/config\.ya?ml|\.?azure-pipelines(?:[.-][\w.-]*)?\.ya?ml|\.azure\/[^/]+\.ya?ml)$/,
  /^(?:\.azuredevops\/[^/]+\.ya?ml|\.travis\.ya?ml|\.?appveyor\.ya?ml|\.drone\.ya?ml)$/,
  /^(?:\.woodpecker(?:\/[^/]+)?\.ya?ml|\.buildkite\/[^/]+|bitbucket-pipelines\.ya?ml|\.cirrus\.ya?ml)$/,
  /^(?:\.semaphore\/[^/]+|Jenkinsfile(?:\.\w+)?|\.teamcity\/.+|\.builds?\/[^/]+\.ya?ml|\.sourcehut\/.+)$/,
  /^(?:\.build\.ya?ml|\.ci\/[^/]+|ci\/[^/]+\.ya?ml|cloudbuild\.ya?ml|codefresh\.ya?ml|\.kokoro\/.+)$/,
  /^(?:buildspec\.ya?ml|\.screwdriver\.ya?ml|\.zuul\.ya?ml|\.prow\.ya?ml)$/,
);

export function isBuildFile(path: string): boolean {
  return BUILD_FILES.test(path);
}

/** Commands that may run tests. Deliberately broad, because only a build without any of them is reported. */
const MAY_TEST = anyOf(
  /test|spec\b|\bcheck\b|verify|\btox\b|\bnox\b|coverage|\bmvnw?\b|gradle|\bmake\b|\bmage\b|\brake\b|bazel/im,
  /\bsbt\b|\bnix\b|\bjust\b|\btask\b|earthly|dagger|\bninja\b|\bctest\b|cargo build|dotnet|\bci\b|e2e/im,
  /cypress|playwright|uses:\s*['"]?[\w.-]+\/[\w.-]+\/\.github\/workflows|uses:\s*['"]?\.\/|^include:/im,
  /template:|scripts?\/|\.sh\b/im,
);

/** True when a CI configuration may run tests. */
export function runsTests(text: string): boolean {
  return MAY_TEST.test(text.replaceAll(/(?:^|\s)#.*$/gm, ''));
}
