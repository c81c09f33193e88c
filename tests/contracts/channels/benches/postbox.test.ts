import { describeChannel } from '../../channels.ts';
import postbox from './postbox.ts';

describeChannel(postbox.channel, postbox.open, postbox.lacks);
