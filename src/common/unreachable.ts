import { OperatorError } from './errors';

/**
 * @param address may have credentials, which are left out.
 * @param setting the environment variable with the address.
 */
export function unreachable(
  service: string,
  address: string,
  setting: string,
  failure: unknown,
): OperatorError {
  return new OperatorError(
    `Cannot reach ${service} at ${withoutCredentials(address)} (set by ${setting}): ${firstLineOf(failure)}`,
  );
}

function withoutCredentials(uri: string): string {
  return uri
    .replace(/^[^:]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/[/?].*$/, '');
}

const firstLineOf = (failure: unknown): string =>
  failure instanceof Error ? failure.message.split('\n', 1).join('') : String(failure);
