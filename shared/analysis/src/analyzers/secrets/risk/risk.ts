import type { Analyzer } from '../../../analyzer.ts';
import { isDocumentation, isExample, isGenerated, isTest, isVendored } from '../../kinds-of-files.ts';
import { numberDuplicates } from '../../problem.ts';
import { lowerSeverity, type Problem } from '../../problem.ts';
import { findInDockerfile } from './dockerfile.ts';
import { findInManifests } from './manifests.ts';
import { findInPackage, findInScripts } from './scripts.ts';
import { findInTree, findLeakedFiles } from './tree.ts';
import { findInWorkflow } from './workflow.ts';

const MAX_PROBLEMS = 40;
const LOOKS: readonly ((path: string, text: string) => readonly Problem[])[] = [
  findInDockerfile,
  findInManifests,
  findInWorkflow,
  findInScripts,
  findInPackage,
  findLeakedFiles,
];

/** Finds risky settings in build, deployment and runtime files, without running anything. */
export const RISK_ANALYZER: Analyzer<readonly Problem[]> = {
  name: 'risk',
  version: 3,
  reach: 'commit',
  wants: ({ path }) => !isVendored(path) && !isGenerated(path) && !isDocumentation(path) && !isTest(path),
  inspect(path, text) {
    const problems = LOOKS.flatMap((look) => look(path, text));
    if (problems.length === 0) return null;
    const weighed = isExample(path)
      ? problems.map((one) => ({ ...one, severity: lowerSeverity(one.severity) }))
      : problems;
    return numberDuplicates(weighed).slice(0, MAX_PROBLEMS);
  },
  conclude(noted, view) {
    const found = [
      ...noted.flatMap(({ path, facts }) => facts.map(({ rule, ...one }) => ({ ...one, path, rule: `risk/${rule}` }))),
      ...findInTree(view),
    ];
    return { found, summary: { problems: found.length } };
  },
};
