import type { Phone } from '../phone';
import { sanitizeLine } from '../printable';
import { sendErrorText } from '../send-error';

/** Prints what a phone does. @param simCount SIMs are named if there are several. */
export function logEvents(phone: Phone, baseUrl: string, simCount: number): void {
  let hasLoggedWaiting = false;
  let connected = false;
  let lastFailure = '';
  const log = (line: string): void => {
    lastFailure = '';
    console.log(sanitizeLine(line));
  };
  phone.on('waiting', (reason) => {
    if (!hasLoggedWaiting) log(`waiting up to 60 s for ${baseUrl} (${reason})`);
    hasLoggedWaiting = true;
  });
  phone.on('registered', ({ _id, name, enabled }) => {
    log(`registered as ${name ?? 'a device without a name'}, device ${_id}`);
    if (!enabled) log('this device is disabled: the service does not send with it');
  });
  phone.on('streamOpen', () => {
    connected = true;
    log('connected, waiting for messages');
  });
  phone.on('streamClosed', (reason) => {
    // Not for each failed attempt to reconnect.
    if (connected) log(`the stream was closed: ${reason}`);
    connected = false;
  });
  phone.on('radio', (problem) => {
    log(problem === undefined ? 'the radio is back' : `nothing can be sent: ${problem}`);
  });
  phone.on('onAir', ({ recipient, text, error, reason, simSubscriptionId, parts }) => {
    const sim = simCount > 1 && simSubscriptionId !== undefined ? ` by SIM ${simSubscriptionId}` : '';
    const long = parts > 1 ? ` in ${parts} parts` : '';
    log(
      error === undefined
        ? `sent to ${recipient}${sim}${long}: ${oneLine(text)}`
        : `not sent to ${recipient}${sim}: ${reason?.text ?? sendErrorText(error)}`,
    );
  });
  phone.on('reported', ({ recipient, status, end }) => {
    if (end === 'refused') log(`the service rejected the report ${status} of the message to ${recipient}`);
    else if (status !== 'SENT') log(`${status.toLowerCase()} to ${recipient}`);
  });
  phone.on('received', ({ sender, message }) => {
    log(`received from ${sender}: ${oneLine(message)}`);
  });
  phone.on('failure', (message) => {
    // An unavailable service fails in the same way repeatedly.
    if (message !== lastFailure) console.error(sanitizeLine(`failure: ${message}`));
    lastFailure = message;
  });
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
