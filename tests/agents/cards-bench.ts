import { createSimulator } from '@signalbox/whatsapp-simulator/server';
import { createSimulatorClient, type SimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
import { seedDemoCards } from '@signalbox/example-bank/store/demo-cards';
import type { Pool } from '@signalbox/store/pool';
import { freePort } from '../support/free-port.ts';
import type { Person } from '../support/person.ts';
import { speakInWhatsApp, type Speaker } from '../support/speakers.ts';
import { openStack, type Stack, type StackOptions } from '../support/stack.ts';
import { eventually } from '../support/until.ts';
import { whatsAppVariables } from '../whatsapp/variables.ts';

/** The whole product with Telegram and WhatsApp, where lost_card answers, and people with cards. */
export interface CardsBench {
  readonly stack: Stack;
  readonly pool: Pool;
  /** An operator in Telegram, who has written to the bot. */
  readonly operator: Person;
  readonly people: SimulatorClient;
  /** Somebody with a debit and a credit card, in Telegram; `id` has four digits. */
  customer(id: number, role?: string): Promise<Customer>;
  close(): Promise<void>;
}

export interface Customer {
  readonly person: Person;
  readonly debit: string;
  readonly credit: string;
  /** A number of theirs in WhatsApp, which is linked since yesterday. */
  whatsApp(): Promise<Speaker>;
  /** Asks for an action by its name, and waits until everything of it was said. */
  does(action: string, data?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Reports the suspicious payments of the debit card, and waits until everything of it was said. */
  reports(): Promise<string>;
  /** The rows of a card of theirs. */
  card(last4: string): Promise<{ readonly status: string; readonly risk: string } | null>;
}

export async function openCardsBench(
  options: Pick<StackOptions, 'wiring' | 'log' | 'notReplayed'> & {
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<CardsBench> {
  const simulator = await createSimulator();
  const port = await freePort();
  const stack = await openStack({
    ...options,
    env: {
      GATEWAY_CHANNELS: 'telegram,whatsapp',
      GATEWAY_HTTP_PORT: String(port),
      AGENT_DEFAULT: 'lost_card',
      ...whatsAppVariables(simulator),
      ...options.env,
    },
  });
  const people = createSimulatorClient(simulator.url);
  await people.subscribe(`http://127.0.0.1:${port}/webhook/whatsapp`);
  const operator = await stack.person(1003, 'operator');
  await operator.ask('/whoami');
  const { pool } = stack;

  const customer = async (id: number, role = 'viewer'): Promise<Customer> => {
    const person = await stack.person(id, role);
    const [key, digits] = [String(id), String(id).slice(-2)];
    await seedDemoCards(pool, [key]);
    const does = async (action: string, data: Readonly<Record<string, unknown>> = {}): Promise<string> => {
      const given = Object.keys(data).length > 0 ? ` ${JSON.stringify(data)}` : '';
      return (await person.ask(`lost_card.${action}${given}`)).join('\n');
    };
    return {
      person,
      debit: `44${digits}`,
      credit: `77${digits}`,
      whatsApp: async () => {
        const number = `1202555${id}`;
        await people.addPerson(number, `P${id}`);
        const speaker = await speakInWhatsApp(people, pool, { number, person: key });
        await pool.query(`update users set created_at = now() - interval '2 days' where user_key = $1`, [
          speaker.userKey,
        ]);
        await speaker.say('/whoami');
        await eventually(
          () => speaker.heard(),
          ({ length }) => length > 0,
        );
        return speaker;
      },
      does,
      reports: async () => {
        await does('report_fraud', { card: `44${digits}` });
        return (await person.clickAndWait('The 2 suspicious ones')).join('\n');
      },
      card: async (last4) => {
        const { rows } = await pool.query<{ status: string; risk: string }>(
          `select status, risk from cards where person = $1 and last4 = $2`,
          [key, last4],
        );
        return rows[0] ?? null;
      },
    };
  };

  const close = async (): Promise<void> => {
    try {
      await stack.close();
    } finally {
      await simulator.close();
    }
  };
  return { stack, pool, operator, people, customer, close };
}

/** The newest code that somebody has read. */
export function codeIn(texts: readonly string[]): string {
  const code = texts.findLast((text) => /\b\d{6}\b/.test(text))?.match(/\b\d{6}\b/)?.[0];
  if (code === undefined) throw new Error(`there is no code in:\n${texts.join('\n---\n')}`);
  return code;
}

/** Six digits that are not these: so many further on. */
export function otherCode(code: string, further = 1): string {
  return String((Number(code) + further) % 1_000_000).padStart(6, '0');
}
