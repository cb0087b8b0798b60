import { createPrivateKey } from 'node:crypto';
import { Transform } from 'class-transformer';
import { IsEmail, IsNotEmpty, Matches, ValidateBy, ValidateIf } from 'class-validator';
import { Variable } from './environment';

/** What signs in to Firebase: three fields of the service account's key file. */
export interface FirebaseServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: string;
}

/** Half a service account is a mistake, none at all is a choice: without it phones are reached over streams only. */
const IfAnyIsSet = () =>
  ValidateIf(({ projectId, clientEmail, privateKey }: PushConfig) =>
    [projectId, clientEmail, privateKey].some((part) => part !== undefined),
  );

const MustBeSet = () =>
  IsNotEmpty({ message: 'must be set too: FIREBASE_ variables go together, or not at all' });

function isRsaPrivateKey(text: unknown): boolean {
  try {
    return typeof text === 'string' && createPrivateKey(text).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** The settings without which the server cannot push over FCM; all three or none are set. */
export const FIREBASE_SETTINGS = 'FIREBASE_PROJECT_ID, FIREBASE_CLIENT_EMAIL and FIREBASE_PRIVATE_KEY';

/** The Firebase project that pushes to phones over FCM. */
export class PushConfig {
  @Variable('FIREBASE_PROJECT_ID')
  @IfAnyIsSet()
  @Matches(/^\S+$/, { message: 'must be the project_id of the service account' })
  @MustBeSet()
  readonly projectId?: string;

  @Variable('FIREBASE_CLIENT_EMAIL')
  @IfAnyIsSet()
  @IsEmail({}, { message: 'must be the client_email of the service account' })
  @MustBeSet()
  readonly clientEmail?: string;

  /** PEM. Its line breaks may be written as `\n`, because many environments hold a single line only. */
  @Variable('FIREBASE_PRIVATE_KEY')
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.replaceAll(String.raw`\n`, '\n') : value,
  )
  @IfAnyIsSet()
  @ValidateBy(
    { name: 'isRsaPrivateKey', validator: { validate: isRsaPrivateKey } },
    { message: 'must be the whole private_key of the service account, from BEGIN to END PRIVATE KEY' },
  )
  @MustBeSet()
  readonly privateKey?: string;

  /** Undefined: there is no pushing over FCM. */
  get serviceAccount(): FirebaseServiceAccount | undefined {
    const { projectId, clientEmail, privateKey } = this;
    if (!projectId || !clientEmail || !privateKey) return undefined;
    return { projectId, clientEmail, privateKey };
  }
}
