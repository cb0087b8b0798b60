/** The errors of a send as the app reports them: results of Android, and an error of the app. */
export const SEND_ERRORS = {
  GENERIC_FAILURE: '1',
  RADIO_OFF: '2',
  NO_SERVICE: '4',
  LIMIT_EXCEEDED: '5',
  PERMISSION_DENIED: 'PERMISSION_DENIED',
  EXPIRED: 'EXPIRED',
} as const;

export type SendError = (typeof SEND_ERRORS)[keyof typeof SEND_ERRORS];

const TEXTS: Readonly<Record<SendError, string>> = {
  '1': 'The radio refused the message (generic failure)',
  '2': 'The radio is off',
  '4': 'No service',
  '5': 'More messages than Android allows the app without confirmation',
  EXPIRED: 'The deadline had passed before it was sent',
  PERMISSION_DENIED: 'The app has no permission to send SMS',
};

export function sendErrorText(error: SendError): string {
  return TEXTS[error];
}

/** @returns undefined for another value. */
export function readSendError(value: unknown): SendError | undefined {
  return Object.values(SEND_ERRORS).find((error) => error === value);
}
