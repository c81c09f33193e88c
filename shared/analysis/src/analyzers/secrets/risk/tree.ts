import { posix } from 'node:path';
import type { RawFinding } from '@signalbox/contracts/repository/finding';
import type { RepositoryReader } from '../../../analyzer.ts';
import { toEvidence } from '../../evidence.ts';
import { isExample, isTest, isVendored } from '../../kinds-of-files.ts';
import { createProblem, type Problem } from '../../problem.ts';
import { findLineProblems } from './lines.ts';

const KEYSTORE = /\.(?:jks|keystore|p12|pfx|kdbx)$/i;
/** Android's debug keystore has a public password. */
const PUBLIC_KEYSTORE = /(?:^|\/)debug\.keystore$/i;
const DATABASE = /\.(?:sqlite3?|mdb|accdb|dump)$|\.sql\.(?:gz|bz2|xz|zip)$/i;

/** Finds links that leave the repository, and files whose names suggest secrets or data. */
export function findPathRisks({ files, links }: Pick<RepositoryReader, 'files' | 'links'>): readonly RawFinding[] {
  const leading = links.filter(({ path, target }) => leadsOut(path, target) && !isTest(path));
  return [
    ...leading.map(({ path, target }) => {
      const what = toEvidence(target);
      return { ...createProblem('risk/link-outside', 'medium', { evidence: what, values: { what } }), path };
    }),
    ...files.flatMap(({ path, sizeBytes }): readonly RawFinding[] => {
      if (!KEYSTORE.test(path) && !DATABASE.test(path)) return [];
      if (sizeBytes === 0 || isTest(path) || isExample(path) || isVendored(path)) return [];
      const values = { what: toEvidence(posix.basename(path)) };
      if (KEYSTORE.test(path) && !PUBLIC_KEYSTORE.test(path))
        return [{ ...createProblem('risk/keystore', 'high', { values }), path }];
      return DATABASE.test(path) ? [{ ...createProblem('risk/database-file', 'low', { values }), path }] : [];
    }),
  ];
}

function leadsOut(path: string, target: string): boolean {
  if (target.startsWith('/')) return true;
  const end = posix.normalize(posix.join(posix.dirname(path), target));
  return end === '..' || end.startsWith('../');
}

/** Finds credentials in git configuration, and files that were committed by mistake, by their content. */
export function findLeakedFiles(path: string, text: string): readonly Problem[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  switch (name) {
    case '.gitmodules':
      return findLineProblems(text, [
        {
          rule: 'submodule-trick',
          severity: 'high',
          pattern:
            /^\s{0,40}url\s{0,8}=\s{0,8}(?:-|ext::|fd::|file:)|^\s{0,40}path\s{0,8}=\s{0,8}(?:\/|[^\n]{0,200}\.\.\/|-)/m,
        },
        { rule: 'submodule-http', severity: 'medium', pattern: /^\s{0,40}url\s{0,8}=\s{0,8}(?:http|git|ftp):\/\//m },
      ]);
    case '.gitattributes':
      // In this file format `*` is a pattern and does not begin a comment.
      return findLineProblems(
        text,
        [{ rule: 'git-filter', severity: 'low', pattern: /\sfilter=(?!lfs(?:\s|$))\S/m }],
        /^\s*#/,
      );
    case '.git-credentials':
    case '.netrc':
    case '.pypirc':
    case '.pgpass':
      return isTest(path)
        ? []
        : findLineProblems(text, [{ rule: 'login-file', severity: 'high', pattern: LOGIN[name] }]).slice(0, 1);
    default:
      return /\.sql$/i.test(name) && !isTest(path) && !isExample(path) ? findDump(text) : [];
  }
}

const LOGIN = {
  '.git-credentials': /^https?:\/\/[^\s:@/]{1,100}:[^\s@/$<]{4,200}@/m,
  '.netrc': /\bpassword\s{1,8}[^\s$<]{4,200}/m,
  '.pypirc': /^\s{0,8}password\s{0,4}[:=]\s{0,4}[^\s$<{%]{4,200}/m,
  '.pgpass': /^(?!#)[^:\n]{1,100}:[^:\n]{1,10}:[^:\n]{1,100}:[^:\n]{1,100}:[^\s$<*]{3,200}/m,
} as const;

/** Finds database dumps with rows; dumps of the schema alone are harmless. */
function findDump(text: string): readonly Problem[] {
  const isDump = /^-- (?:MySQL|MariaDB|PostgreSQL database) dump/im.test(text.slice(0, 2_000));
  const hasPeople = /^(?:INSERT INTO|COPY)\s[^\n]{0,80}\b(?:users?|customers?|accounts?|people|members?)\b/im.test(
    text,
  );
  if (!isDump || !hasPeople) return [];
  return [createProblem('database-dump', 'medium')];
}
