import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Networks that are not the internet: this machine, private ones, those of documentation, tests and
 * multicast, and IPv6 addresses that lead to IPv4 ones.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const special = {
  ipv4: blockListOf('ipv4', [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
    ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
    ...['224.0.0.0/4', '240.0.0.0/4'],
  ]),
  // All of IPv6 that is no global unicast (2000::/3), and what of that is special.
  ipv6: blockListOf('ipv6', [
    ...['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
  ]),
};

/** Whether an IP address is one of the internet. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  return !special[family].check(address, family);
}

function blockListOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/**
 * An address that somebody typed who has not the environment: https, without a user, and where its host is an
 * IP address, one of the internet. `privateHosts` names hosts that the operator trusts, for which http and
 * private addresses will do; `variable` is how that list is called in the environment.
 * @throws Error with words for whoever gave it.
 */
export function outgoingAddress(given: string, privateHosts: readonly string[], variable: string): URL {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw new Error('must begin with https://');
  if (url.username !== '' || url.password !== '') throw new Error('must not hold a user or a password');
  if (privateHosts.includes(url.hostname)) return url;
  if (url.protocol === 'http:') throw new Error(`must begin with https://, or its host be one of ${variable}`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw notPublic(url.hostname, variable);
  return url;
}

/**
 * Finds the addresses of a host, and fails where one of them is not of the internet. The connection is made
 * to what was checked: a name that leads elsewhere a moment later changes nothing. `variable` as above.
 */
export function lookupPublic(variable: string): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const [first] = found ?? [];
      if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), '');
      if (!found.every(({ address }) => isPublicAddress(address))) return callback(notPublic(hostname, variable), '');
      if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

function notPublic(host: string, variable: string): Error {
  return new Error(`${host} leads to an address that is not of the internet, and is none of ${variable}`);
}
