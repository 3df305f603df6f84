import { Injectable } from '@nestjs/common';
import type { Reply, Request } from '../operations';
import { toAccount } from '../accounts/to-account';
import { readPage } from '../storage/page';
import { Storage } from '../storage/storage';

/** Finds accounts for administrators. */
@Injectable()
export class AccountSearch {
  constructor(private readonly storage: Storage) {}

  /** One page, the newest first. `query` is a part of a name or an address, in any letter case. @throws ControlError `invalid` (a wrong cursor), `unavailable`. */
  search({ status, query, limit, after }: Request<'searchAccounts'>): Promise<Reply<'searchAccounts'>> {
    return this.storage.read(async (queries) => {
      const { items, next } = await readPage({ limit, after }, (id, take) =>
        queries.account.findMany({
          where: { status, id, ...(query ? { OR: [{ name: part(query) }, { email: part(query) }] } : {}) },
          orderBy: { id: 'desc' },
          take,
          include: {
            _count: { select: { keys: { where: { status: 'active' } } } },
            people: { select: { role: true } },
          },
        }),
      );
      const accounts = items.map((row) => ({
        ...toAccount(row),
        purpose: row.purpose,
        keys: row._count.keys,
        role: highest(row.people),
      }));
      return { accounts, next };
    });
  }
}

function part(text: string) {
  // Postgres takes these as wildcards.
  return { contains: text.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' as const };
}

function highest(people: readonly { role: 'user' | 'administrator' }[]): 'user' | 'administrator' | null {
  if (people.some(({ role }) => role === 'administrator')) return 'administrator';
  return people.length > 0 ? 'user' : null;
}
