import { groupUnread } from '@signalbox/contracts/repository/unread';
import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { MAX_LARGE_BYTES, type Analyzer, type FileFacts } from '../../analyzer.ts';
import { tryParse } from '../dependencies/packages/plain.ts';
import { isExample, isTest, isVendored } from '../kinds-of-files.ts';
import { readCycloneDx, readSpdx, type BillOfMaterials } from './bill-of-materials.ts';
import { readSarif, type ReportedProblem } from './sarif.ts';

type ReportFacts = {
  readonly isCode: boolean;
  readonly tools: readonly string[];
  readonly problems: readonly ReportedProblem[];
};

const SARIF = /\.sarif(?:\.json)?$/i;
const BILL = /(?:^|[/._-])(?:s?bom|vex|cyclonedx|cdx|spdx)(?:[._-][\w.-]{0,80})?\.json$/i;

/** Imports reports of other tools: results in SARIF, and vulnerabilities in bills of materials. */
export const REPORTS_ANALYZER: Analyzer<ReportFacts> = {
  name: 'reports',
  version: 1,
  reach: 'commit',
  maxBytes: MAX_LARGE_BYTES,
  wants: ({ path }) => (SARIF.test(path) && isProduct(path)) || isBill(path),
  inspect(path, text) {
    const root = tryParse(() => JSON.parse(text));
    const sarif = SARIF.test(path) ? readSarif(root) : null;
    if (sarif) return { isCode: true, ...sarif };
    const bill = readBill(path, root);
    return bill === null ? null : { isCode: false, tools: bill.tools, problems: bill.problems };
  },
  conclude(noted, view) {
    const found = noted.flatMap(toFindings);
    const tools = [...new Set(noted.flatMap(({ facts }) => facts.tools))].sort();
    const read = new Set(noted.map(({ path }) => path));
    const broken = view.files.filter((file) => SARIF.test(file.path) && isProduct(file.path) && !read.has(file.path));
    const isCovered = noted.some(({ facts }) => facts.isCode && facts.tools.length > 0);
    return {
      found: [...new Map(found.map((one) => [[one.rule, one.path, one.identity].join('\n'), one])).values()],
      summary: { tools },
      unread: [
        groupUnread(
          'broken-report',
          broken.map(({ path }) => path),
        ),
        ...(isCovered ? [] : [groupUnread('not-covered', [], 1)]),
      ],
    };
  },
};

/** True for a bill of materials in JSON, by its name. */
export function isBill(path: string): boolean {
  return BILL.test(path) && isProduct(path);
}

/** Reads a bill of materials; null for any other content. */
export function readBill(path: string, root: unknown): BillOfMaterials | null {
  return isBill(path) ? (readCycloneDx(root) ?? readSpdx(root)) : null;
}

function isProduct(path: string): boolean {
  return !isTest(path) && !isExample(path) && !isVendored(path);
}

function toFindings({ path: report, facts }: FileFacts<ReportFacts>): readonly RawFinding[] {
  return facts.problems.map(({ rule, path, ...problem }) => ({
    ...problem,
    rule: `reports/${rule}`,
    path: path ?? report,
  }));
}
