import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** True for IP addresses of the public internet; false for other addresses and texts. */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !specialIpv4.check(ip, 'ipv4');
  return isIPv6(ip) && allocatedIpv6.check(ip, 'ipv6') && !specialIpv6.check(ip, 'ipv6');
}

/** Non-public IPv4 ranges from IANA's special-purpose registry: this machine, local networks, cloud metadata. */
const SPECIAL_IPV4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`;
/**
 * Non-public ranges within 2000::/3, the only allocated IPv6 space, and ranges that embed IPv4. IPv4-mapped addresses are therefore never
 * public.
 */
const SPECIAL_IPV6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';

const specialIpv4 = toBlockList(SPECIAL_IPV4, 'ipv4');
const specialIpv6 = toBlockList(SPECIAL_IPV6, 'ipv6');
const allocatedIpv6 = toBlockList('2000::/3', 'ipv6');

function toBlockList(ranges: string, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges.split(/\s+/)) {
    const [net = '', bits = ''] = range.split('/');
    list.addSubnet(net, Number(bits), family);
  }
  return list;
}
