export interface Prepared {
  /** As the phone reaches the service. */
  readonly address: string;
  /** Undefined if the dashboard has to show one. */
  readonly digits: string | undefined;
  /** What the phone did not let adb do. */
  readonly leftToDo: readonly string[];
}

/** What a person types and taps in the app. */
export function instructions({ address, digits, leftToDo }: Prepared): string {
  const steps = [
    ...leftToDo,
    `Settings → Cloud Server → API URL: ${address}`,
    'On the same page, Notification channel: SSE Only',
    `Home → Cloud server on → tap Offline → By Code: ${digits ?? 'the one of Phones → Pair a phone in the dashboard'}`,
  ];
  const lines = steps.map((step, index) => `  ${index + 1}. ${step}`);
  const validity = digits === undefined ? '' : '\nThe code is valid for ten minutes and one phone.';
  return `\nOn the phone:\n\n${lines.join('\n')}\n${validity}
The phone stays connected until it is unplugged; --watch connects it again each time.\n`;
}
