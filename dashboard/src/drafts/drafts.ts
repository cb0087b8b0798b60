/** In this tab, until it is closed: what is typed in one tab does not replace what is typed in another. */
const storage = () => sessionStorage;

const PREFIX = 'draft:';

/** Of one tab; the oldest is dropped. */
const MAX_DRAFTS = 20;

/** Of one draft. Browsers store about five million in all. */
const MAX_CHARACTERS = 1_500_000;

interface Stored {
  readonly savedAt: number;
  readonly value: unknown;
}

const keyOf = (account: string, name: string) => `${PREFIX}${account}:${name}`;

const keys = () =>
  Array.from({ length: storage().length }, (_, index) => storage().key(index) ?? '').filter((key) =>
    key.startsWith(PREFIX),
  );

function read(key: string): Stored | undefined {
  try {
    return JSON.parse(storage().getItem(key) ?? '') as Stored;
  } catch {
    return undefined;
  }
}

/** What an account has typed and not sent, under a name such as that of a form. */
export const readDraft = (account: string, name: string): unknown => read(keyOf(account, name))?.value;

/** Keeps what is typed. What is too large, or finds no room, is not kept. */
export function keepDraft(account: string, name: string, value: unknown): void {
  const key = keyOf(account, name);
  const text = JSON.stringify({ savedAt: Date.now(), value } satisfies Stored);
  const others = keys().filter((each) => each !== key);
  const oldest = others.toSorted((a, b) => (read(a)?.savedAt ?? 0) - (read(b)?.savedAt ?? 0));
  for (const each of oldest.slice(0, Math.max(0, others.length + 1 - MAX_DRAFTS))) storage().removeItem(each);
  try {
    storage().removeItem(key);
    if (text.length <= MAX_CHARACTERS) storage().setItem(key, text);
  } catch {
    // No room: the page still asks before it is left.
  }
}

export function dropDraft(account: string, name: string): void {
  storage().removeItem(keyOf(account, name));
}

/** For somebody who signs out on purpose: nothing stays for the next one at this browser. */
export function dropAllDrafts(): void {
  for (const key of keys()) storage().removeItem(key);
}
