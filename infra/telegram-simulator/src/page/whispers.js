import * as simulator from './simulator.js';

/**
 * Follows what is for one person alone, for the one who speaks: a browser has too few connections to do so for everybody.
 * Whoever is turned to later gets what came meanwhile.
 */
export function createWhispers({ onMessage, onReset }) {
  const reached = new Map();
  let person = null;
  let end = () => {};

  return {
    /** Turns to a person. `seq` is how far everything was loaded at the start. */
    follow(next, seq) {
      if (next === person) return;
      end();
      person = next;
      end = simulator.followEvents(reached.get(next) ?? seq, {
        as: next,
        onEvent: (event) => {
          reached.set(next, event.seq);
          if (event.kind === 'reset') onReset();
          else if (event.message?.ephemeral) onMessage(event);
        },
      });
    },
  };
}
