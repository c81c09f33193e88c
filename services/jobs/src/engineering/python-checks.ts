import { getField, listEntries, parseToml } from '@signalbox/analysis/analyzers/dependencies/packages/plain';

/** How a Python project is prepared and tested. */
export interface PythonChecks {
  readonly build: readonly (readonly string[])[];
  readonly test: readonly (readonly string[])[];
}

const PYTHON = '.venv/bin/python';
const PIP = [PYTHON, '-m', 'pip', 'install'];
/** Files that name the test runner of a project, or its settings. */
const NAMING = ['pyproject.toml', 'tox.ini', 'setup.cfg', 'setup.py', 'Pipfile'];
const TEST = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/;
const OF_TESTS = /^(?:tests?|testing)$/;
const OF_DEVELOPMENT = /^dev(?:elop(?:ment)?)?$/;
/** Test files that are read for the runner that they import. */
const MAX_READ = 10;

/** Finds how a Python project is tested: pytest where a file names it, else unittest. Null without tests. Pure but for reading. */
export async function findPythonChecks(
  names: ReadonlySet<string>,
  read: (name: string) => Promise<string | null>,
): Promise<PythonChecks | null> {
  const tests = [...names].filter((name) => TEST.test(name));
  const all = [...names].filter((name) => /(?:^|\/)[^/]*requirements[^/]*(?:\/[^/]*)?\.txt$/.test(name));
  const requirements = choose(all.filter((name) => name.split('/').length <= 2));
  const project = await parseToml((await read('pyproject.toml')) ?? '');
  const isSaid = await findWord(/\bpytest\b/, [...NAMING, ...requirements], read);
  const isImported = await findWord(/^(?:import|from) pytest\b/m, tests.slice(0, MAX_READ), read);
  const usesPytest = names.has('pytest.ini') || [...names].some(isConftest) || isSaid || isImported;
  if (tests.length === 0 && !usesPytest) return null;
  const isPackage = getField(project, 'project') !== undefined || names.has('setup.py');
  const runner = usesPytest ? ['pytest'] : [];
  if (!isPackage && requirements.length === 0 && !usesPytest)
    return { build: [], test: [['python3', '-m', 'unittest', 'discover', '-q']] };
  const test = [[PYTHON, '-m', ...(usesPytest ? ['pytest', '-q'] : ['unittest', 'discover', '-q'])]];
  const room = ['python3', '-m', 'venv', '.venv'];
  const groups = pick(listEntries(getField(project, 'dependency-groups')).map(([name]) => name));
  const extras = pick(
    listEntries(getField(getField(project, 'project'), 'optional-dependencies')).map(([name]) => name),
  );
  if (isPackage && (groups.length > 0 || names.has('uv.lock'))) {
    const wanted = [...groups.flatMap((name) => ['--group', name]), ...extras.flatMap((name) => ['--extra', name])];
    const lock = names.has('uv.lock') ? ['--frozen'] : [];
    // uv is what reads groups and its lock file. It leaves what it did not install itself.
    const sync = ['.venv/bin/uv', 'sync', '--inexact', ...lock, ...(groups.length > 0 ? ['--no-default-groups'] : [])];
    return { build: [room, [...PIP, 'uv', ...runner], [...sync, ...wanted]], test };
  }
  const own = isPackage ? ['--editable', extras.length > 0 ? `.[${extras.join(',')}]` : '.'] : [];
  const listed = requirements.flatMap((name) => ['--requirement', name]);
  return { build: [room, [...PIP, ...listed, ...own, ...runner]], test };
}

function isConftest(name: string): boolean {
  return /(?:^|\/)conftest\.py$/.test(name);
}

/** The groups of tests, else those of development. What no command could name is left out. */
function pick(groups: readonly string[]): readonly string[] {
  const named = groups.filter((name) => /^[A-Za-z][\w-]{0,60}$/.test(name));
  const ofTests = named.filter((name) => OF_TESTS.test(name));
  return ofTests.length > 0 ? ofTests : named.filter((name) => OF_DEVELOPMENT.test(name));
}

/** The list of the program itself, and the lists for tests, else those for development. */
function choose(files: readonly string[]): readonly string[] {
  const own = files.filter((name) => name === 'requirements.txt');
  const has = (pattern: RegExp) => (name: string) =>
    name.split(/[/._-]+/).some((word) => word !== 'requirements' && pattern.test(word));
  const ofTests = files.filter(has(OF_TESTS));
  return [...own, ...(ofTests.length > 0 ? ofTests : files.filter(has(OF_DEVELOPMENT)))];
}

async function findWord(
  word: RegExp,
  files: readonly string[],
  read: (name: string) => Promise<string | null>,
): Promise<boolean> {
  for (const file of files) if (word.test((await read(file)) ?? '')) return true;
  return false;
}
