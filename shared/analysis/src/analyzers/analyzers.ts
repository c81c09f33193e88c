import type { Analyzer } from '../analyzer.ts';
import { ADVISORIES_ANALYZER } from './dependencies/advisories/advisories.ts';
import { DEPENDENCIES_ANALYZER } from './dependencies/dependencies.ts';
import { LICENSES_ANALYZER } from './dependencies/licenses/licenses.ts';
import { STACK_ANALYZER } from './dependencies/stack/stack.ts';
import { DISCOVERY_ANALYZER } from './discovery.ts';
import { DOCUMENTATION_ANALYZER } from './documentation/documentation.ts';
import { CODE_ANALYZER } from './quality/code/code.ts';
import { DUPLICATES_ANALYZER } from './quality/duplicates/duplicates.ts';
import { HEALTH_ANALYZER } from './quality/health/health.ts';
import { HOT_SPOTS_ANALYZER } from './quality/hot-spots.ts';
import { REPORTS_ANALYZER } from './reports/reports.ts';
import { RISK_ANALYZER } from './secrets/risk/risk.ts';
import { SECRETS_ANALYZER } from './secrets/secrets/secrets.ts';

/** All analyzers. To add one, create its folder here, list it here, and add its rules to `rules/`. */
export const ANALYZERS: readonly Analyzer[] = [
  DISCOVERY_ANALYZER,
  CODE_ANALYZER,
  DUPLICATES_ANALYZER,
  HOT_SPOTS_ANALYZER,
  HEALTH_ANALYZER,
  DOCUMENTATION_ANALYZER,
  DEPENDENCIES_ANALYZER,
  LICENSES_ANALYZER,
  ADVISORIES_ANALYZER,
  STACK_ANALYZER,
  SECRETS_ANALYZER,
  RISK_ANALYZER,
  REPORTS_ANALYZER,
];
