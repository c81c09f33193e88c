import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Whether an IP address is one of the public internet; false for what is no IP address. */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !special.check(ip, 'ipv4');
  return isIPv6(ip) && given.check(ip, 'ipv6') && !specialIpv6.check(ip, 'ipv6');
}

/** IPv4 that is not the public internet, from IANA's registry of special purposes: this machine, its neighbors, clouds' metadata. */
const SPECIAL_IPV4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`;
/** Of IPv6 only 2000::/3 is given out, and in it these are not, or carry an IPv4 address. So mapped forms are never public. */
const SPECIAL_IPV6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';

const special = listOf(SPECIAL_IPV4, 'ipv4');
const specialIpv6 = listOf(SPECIAL_IPV6, 'ipv6');
const given = listOf('2000::/3', 'ipv6');

function listOf(ranges: string, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges.split(/\s+/)) {
    const [net = '', bits = ''] = range.split('/');
    list.addSubnet(net, Number(bits), family);
  }
  return list;
}
