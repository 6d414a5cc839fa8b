import type { Condition, Rows } from '@sluice/document-store';
import { type Keyring, SealBrokenError, type SealedSecret } from './keyring';

export interface ResealOptions {
  /** Where an earlier part ended: its `next`. Default: the beginning. */
  readonly after?: string;
  /** A part ends at the first page that is done after this time. Default 2,000 ms. */
  readonly budgetMs?: number;
}

export interface Resealed {
  /** How many this part sealed again. */
  readonly resealed: number;
  /** Ids of this part's secrets that no master key given opens: left as they are. */
  readonly failed: readonly string[];
  /** With the last part: how many secrets of the whole vault are under another key now, failed ones included. */
  readonly remaining: number | null;
  /** Null: this was the last part. */
  readonly next: string | null;
}

export interface ResealedVault {
  /** Of each collection, by its name; done in this order. */
  readonly collections: ReadonlyMap<string, Rows<SealedSecret>>;
  readonly keyring: Keyring;
  /** By its key a start judges the master keys: it goes last, so that one cut short asks for both keys again. */
  readonly sentinelId: string;
}

const DEFAULT_BUDGET_MS = 2_000;
/** Little enough to seal in one turn of a thread that serves requests. */
const PAGE = 10;
/** So that an answer stays small. */
const MAX_FAILED = 1_000;

/** One part of Vault.reseal. */
export async function reseal(
  vault: ResealedVault,
  { after = '', budgetMs = DEFAULT_BUDGET_MS }: ResealOptions = {},
): Promise<Resealed> {
  const { keyring, sentinelId } = vault;
  const startedAt = performance.now();
  const failed: string[] = [];
  let resealed = 0;
  let next: Cursor | null = cursorOf(vault, after);
  do {
    const { rows, collection } = next;
    const page: SealedSecret[] = await rows.find({ where: { id: { gt: next.id } }, limit: PAGE });
    const old = page.filter(({ id, keyId }) => keyId !== keyring.currentId && id !== sentinelId);
    const outcomes = await Promise.all(old.map(({ id }) => resealOne(collection, rows, keyring, id)));
    resealed += outcomes.filter((outcome) => outcome === 'resealed').length;
    failed.push(...old.filter((_, index) => outcomes[index] === 'failed').map(({ id }) => id));
    next = page.length < PAGE ? collectionBehind(vault, next) : { ...next, id: page.at(-1)?.id ?? '' };
  } while (next !== null && performance.now() - startedAt < budgetMs && failed.length < MAX_FAILED);

  if (next !== null) return { resealed, failed, remaining: null, next: textOf(vault, next) };
  const [first] = vault.collections;
  if (first !== undefined && !(await anotherOpens(vault))) {
    if ((await resealOne(...first, keyring, sentinelId)) === 'resealed') resealed += 1;
  }
  return { resealed, failed, remaining: await countUnderOtherKeys(vault), next };
}

/** Behind which id, of which collection, the next page begins. */
interface Cursor {
  readonly collection: string;
  readonly rows: Rows<SealedSecret>;
  readonly id: string;
}

/** A cursor as text: the id alone in the first collection, `@NAME/ID` in another. */
function textOf({ collections }: ResealedVault, { collection, id }: Cursor): string {
  const [first] = collections.keys();
  return collection === first ? id : `@${collection}/${id}`;
}

function cursorOf({ collections }: ResealedVault, text: string): Cursor {
  const [, named, behind] = /^@([^/]+)\/(.*)$/s.exec(text) ?? [];
  const elsewhere = named === undefined ? undefined : collections.get(named);
  if (named !== undefined && elsewhere !== undefined) return { collection: named, rows: elsewhere, id: behind ?? '' };
  const [[collection, rows] = []] = collections;
  if (collection === undefined || rows === undefined) throw new Error('There is no collection to seal again.');
  return { collection, rows, id: text };
}

function collectionBehind({ collections }: ResealedVault, { collection }: Cursor): Cursor | null {
  const all = [...collections];
  const [name, rows] = all[all.findIndex(([known]) => known === collection) + 1] ?? [];
  return name === undefined || rows === undefined ? null : { collection: name, rows, id: '' };
}

export async function countUnderOtherKeys({
  collections,
  keyring: { currentId },
}: Pick<ResealedVault, 'collections' | 'keyring'>): Promise<number> {
  const counts = await Promise.all(
    [...collections.values()].flatMap((rows) => otherKeys(currentId).map((keyId) => rows.count({ keyId }))),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Two ranges that hold every key id but the current one. */
function otherKeys(currentId: string): readonly Condition[] {
  return [{ lt: currentId }, { gt: currentId }];
}

async function resealOne(
  collection: string,
  rows: Rows<SealedSecret>,
  keyring: Keyring,
  id: string,
): Promise<'resealed' | 'failed' | 'current'> {
  try {
    const resealed = await rows.update(id, (row) =>
      row === undefined || row.keyId === keyring.currentId
        ? undefined
        : keyring.seal(collection, id, keyring.unseal(collection, row)),
    );
    return resealed === undefined ? 'current' : 'resealed';
  } catch (error) {
    if (error instanceof SealBrokenError) return 'failed';
    throw error;
  }
}

/** Whether a secret but the sentinel still needs the previous key. */
async function anotherOpens({ collections, keyring, sentinelId }: ResealedVault): Promise<boolean> {
  for (const [collection, rows] of collections) {
    for (const keyId of otherKeys(keyring.currentId)) {
      const left = await rows.find({ where: { keyId } });
      if (left.some((row) => row.id !== sentinelId && opened(collection, keyring, row) !== undefined)) return true;
    }
  }
  return false;
}

/** Undefined when no key opens it. */
function opened(collection: string, keyring: Keyring, row: SealedSecret): Buffer | undefined {
  try {
    return keyring.unseal(collection, row);
  } catch (error) {
    if (error instanceof SealBrokenError) return undefined;
    throw error;
  }
}
