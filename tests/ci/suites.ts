/** One run of `npm test`, as the build makes it. `projects` are those of vitest.config.ts. */
export interface CiSuite {
  readonly title: string;
  readonly projects: readonly string[];
  /** Words after `npm test --`; none: what the README's test command runs. */
  readonly words: readonly string[];
}

const only = (...projects: readonly string[]): Pick<CiSuite, 'projects' | 'words'> => ({
  projects,
  words: projects.flatMap((name) => ['--project', name]),
});

/** The suites in the order of the build. A project that is in none of them fails the architecture test. */
export const CI_SUITES: readonly CiSuite[] = [
  { title: 'tests', projects: ['unit', 'integration', 'e2e', 'browser'], words: [] },
  // Together: the end of one leaves cores free for the next.
  { title: 'outside and faults', ...only('telegram', 'ingress', 'web', 'agents', 'providers', 'local', 'faults') },
  { title: 'attacks', ...only('attack') },
  { title: 'containers', ...only('containers') },
  { title: 'endurance', ...only('endurance') },
];
