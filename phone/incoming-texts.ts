export interface IncomingText {
  readonly sender: string;
  readonly text: string;
}

/** Numbers from the range the British regulator keeps for fiction, a name and a short code: senders are not only numbers. */
const SENDERS = ['+447700900210', '+447700900211', 'Parcels', '72345'] as const;
const TEXTS = [
  'Yes, see you at eight.',
  'Your parcel is out for delivery.',
  'STOP',
  'Thank you, that works. 👍',
] as const;

/** Invented messages without end, no two the same. */
export function* incomingTexts(): Generator<IncomingText, never> {
  for (let count = 0; ; count += 1) {
    const sender = SENDERS[count % SENDERS.length] ?? SENDERS[0];
    const text = TEXTS[count % TEXTS.length] ?? TEXTS[0];
    yield { sender, text: `${text} (${count + 1})` };
  }
}
