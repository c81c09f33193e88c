import { describeChannel } from '../contracts/channels.ts';
import ingress from '../contracts/channels/benches/ingress.ts';

describeChannel(ingress.channel, ingress.open, ingress.lacks);
