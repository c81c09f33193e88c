import { z } from 'zod';
import { findNextSteps } from './next-steps.ts';
import { planRefactoring } from './refactoring-plan.ts';
import type { AnalysisStep } from './step.ts';

const Steps = z.object({
  steps: z.array(
    z.object({
      rule: z.string(),
      path: z.string(),
      line: z.number().nullable(),
      what: z.string(),
      why: z.string(),
      more: z.number(),
    }),
  ),
});

/** Picks the most important findings as recommended next steps. */
export const nextStepsStep: AnalysisStep<unknown, z.infer<typeof Steps>> = {
  input: z.unknown(),
  output: Steps,
  analyzers: [],
  run: async (_, context) => ({
    steps: findNextSteps(await context.findings()).map(({ finding: { rule, path, line }, ...step }) => ({
      rule,
      path,
      line,
      ...step,
    })),
  }),
};

export const RefactoringPlan = z.object({
  steps: z.array(
    z.object({
      path: z.string(),
      what: z.string(),
      why: z.string(),
      effort: z.enum(['S', 'M', 'L']),
      lines: z.number(),
    }),
  ),
});

/** Plans refactorings, most worthwhile first. */
export const refactorPlannerStep: AnalysisStep<unknown, z.infer<typeof RefactoringPlan>> = {
  input: z.unknown(),
  output: RefactoringPlan,
  analyzers: [],
  run: async (_, context) => ({ steps: [...planRefactoring(await context.findings())] }),
};
