export interface IncomingText {
  readonly sender: string;
  readonly text: string;
}

/** From the British range for fiction, plus a name and a short code. */
const SENDERS = ['+447700900210', '+447700900211', 'Parcels', '72345'] as const;
const TEXTS = [
  'Yes, see you at eight.',
  'Your parcel is out for delivery.',
  'STOP',
  'Thank you, that works. 👍',
] as const;

/** An endless sequence of different messages. */
export function* incomingTexts(): Generator<IncomingText, never> {
  for (let count = 0; ; count += 1) {
    const sender = SENDERS[count % SENDERS.length] ?? SENDERS[0];
    const text = TEXTS[count % TEXTS.length] ?? TEXTS[0];
    yield { sender, text: `${text} (${count + 1})` };
  }
}
