import { SEND_ERRORS, type SendError } from './send-error';

/** Faults of a phone. They can be changed while it runs. */
export interface PhoneFaults {
  airplaneMode: boolean;
  /** False for an app without the permission to send SMS. */
  smsPermission: boolean;
  /** Share of messages that went on the air and that the phone reports as failed, 0 to 1. */
  lieRate: number;
  /** The error in these reports. */
  lieError: SendError;
  /** Seconds by which acknowledgements and reports are late. */
  answerDelaySeconds: number;
}

export const NO_FAULTS: Readonly<PhoneFaults> = {
  airplaneMode: false,
  smsPermission: true,
  lieRate: 0,
  lieError: SEND_ERRORS.GENERIC_FAILURE,
  answerDelaySeconds: 0,
};
