import { formatServiceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { Environment } from '@signalbox/contracts/conversation/fields';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { HOUR_MS, MINUTE_MS } from '@signalbox/contracts/time';
import { sayChosenTime, sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { listServicesBriefly, muteService } from '@signalbox/store/deploy/service-health';
import type { ChatCommand } from '../chat-command.ts';
import { auditCommand } from '../record.ts';

const MAX_HOURS = 7 * 24;

/** `/mute shop staging 2` mutes a service's health messages for two hours, `30m` for thirty minutes; `/mute` lists muted services. */
export default {
  name: 'mute',
  asksWhenOld: true,
  who: 'developer',
  personal: true,
  menu: { place: 80, description: 'menu.mute' },
  help: 'help.mute',
  answer: async ({ db }, typed, asked) => {
    const now = Date.now();
    if (typed === '') return { text: describeMutedServices(await listServicesBriefly(db), now) };
    const [project = '', environmentName = '', hoursTyped = '1', ...more] = typed.toLowerCase().split(/\s+/);
    const environment = Environment.safeParse(environmentName);
    const [, count = '', unit = 'h'] = /^(\d{1,4})(h|m|min)?$/.exec(hoursTyped) ?? [];
    const lastsMs = Number(count) * (unit === 'h' ? HOUR_MS : MINUTE_MS);
    if (!environment.success || more.length > 0 || count === '' || lastsMs > MAX_HOURS * HOUR_MS)
      return { text: say('control.mute-usage') };
    const service = { project, environment: environment.data };
    const until = lastsMs === 0 ? null : new Date(now + lastsMs);
    if (!(await muteService(db, service, until, asked.envelope.userKey)))
      return { text: describeUnknownService(service, await listServicesBriefly(db)) };
    await auditCommand(db, asked, 'service.muted', { ...service, until: until?.toISOString() ?? null });
    const values = { ...service, project: toPlainName(project), time: sayChosenTime(lastsMs) };
    return { text: say(lastsMs === 0 ? 'control.unmuted' : 'control.muted', values), personal: false };
  },
} satisfies ChatCommand;

type MutableService = ServiceKey & { readonly mutedUntil: Date | null };

function describeMutedServices(services: readonly MutableService[], now: number): string {
  const lines = services.flatMap((service) => {
    const leftMs = (service.mutedUntil?.getTime() ?? now) - now;
    if (leftMs <= 0) return [];
    return [say('control.muted-one', { service: toPlainName(formatServiceName(service)), left: sayDuration(leftMs) })];
  });
  return lines.length === 0 ? say('control.nothing-muted') : lines.join('\n');
}

function describeUnknownService(unknown: ServiceKey, services: readonly MutableService[]): string {
  const service = toPlainName(formatServiceName(unknown).slice(0, 80));
  const known = services.slice(0, 10).map((one) => toPlainName(formatServiceName(one)));
  if (known.length === 0) return say('control.no-services', { service });
  return say('control.no-service', { service, known: known.join(', ') });
}
