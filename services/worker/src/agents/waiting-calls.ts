import type { Model, Models } from '@signalbox/models/port';

/** Counts the calls of models that have no answer yet: their turns compute nothing. */
export function countWaiting(models: Models): { readonly models: Models; waiting(): number } {
  const known = new Map<Model, Model>();
  let waiting = 0;
  const count = (model: Model): Model => ({
    ...model,
    ask: async (request) => {
      waiting += 1;
      try {
        return await model.ask(request);
      } finally {
        waiting -= 1;
      }
    },
  });
  return {
    models: {
      names: models.names,
      of: (agent, node) => {
        const model = models.of(agent, node);
        const counted = known.get(model) ?? count(model);
        known.set(model, counted);
        return counted;
      },
    },
    waiting: () => waiting,
  };
}
