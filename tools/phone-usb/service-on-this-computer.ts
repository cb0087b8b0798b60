import { findService } from '../demo/service-address';
import type { Service } from './pairing-code';
import { PhoneUsbError } from './phone-usb-error';

const ANSWER_MS = 15_000;

/**
 * The service that the phone reaches over the cable: at the URL, else the running `npm start`.
 * @throws PhoneUsbError if there is none, or it is on another computer.
 */
export async function serviceOnThisComputer(url?: string): Promise<Service & { readonly port: number }> {
  const service = find(url);
  const { hostname, port, protocol } = new URL(service.url);
  if (!/^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname) || protocol !== 'http:') {
    throw new PhoneUsbError(
      `a cable leads to http://127.0.0.1 of this computer, and the service is at ${service.url}: unset HOST or set it to 127.0.0.1, or pair the phone over the network`,
    );
  }
  const origin = service.url.replace(/\/+$/, '');
  if (!(await isAlive(origin)))
    throw new PhoneUsbError(
      `the service does not answer at ${origin}: start it, or give its address with --url`,
    );
  return { ...service, url: origin, port: Number(port || 80) };
}

async function isAlive(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(`${url}/health/live`, { signal }).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.ok === true;
}

function find(url?: string): Service {
  try {
    return findService({ url });
  } catch {
    if (url !== undefined && URL.canParse(url)) return { url, apiKey: undefined };
    throw new PhoneUsbError(
      url === undefined
        ? 'no running service found: run npm start first, or give its address with --url http://127.0.0.1:3000'
        : `${url} is not an address such as http://127.0.0.1:3000`,
    );
  }
}
