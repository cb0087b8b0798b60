import { ModemDriver } from '../modem/modem-driver';
import type { RadioDriver } from '../radio-driver';
import { SmsGateDriver } from '../smsgate/smsgate-driver';
import type { PhoneFolder, StoredRadio } from './phone-folder';

/** How long a phone in the network may be out of reach before it counts as offline. A modem has a time of its own. */
export const NETWORK_GRACE_MS = 15_000;

export type MachineKind = Exclude<StoredRadio, { readonly kind: 'virtual' }>;

export function openDriver(radio: MachineKind, folder: PhoneFolder, pairedAt: number): RadioDriver {
  switch (radio.kind) {
    case 'modem':
      return new ModemDriver(radio.smsdrc);
    case 'smsgate-local':
      return new SmsGateDriver({
        ...radio,
        pairedAt,
        uploadedUntil: folder.uploadedUntil,
        onUploaded: (until) => {
          folder.setUploadedUntil(until);
        },
      });
  }
}
