import { createPrivateKey } from 'node:crypto';
import { Transform } from 'class-transformer';
import { IsEmail, IsNotEmpty, Matches, ValidateBy, ValidateIf } from 'class-validator';
import { Variable } from '../environment/environment';

/** Three fields of the Firebase service account's key file. */
export interface FirebaseServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: string;
}

/** Without a service account, phones are reached over streams only; an incomplete one is an error. */
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

export const FIREBASE_SETTINGS = 'FIREBASE_PROJECT_ID, FIREBASE_CLIENT_EMAIL and FIREBASE_PRIVATE_KEY';

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

  /** PEM. Its line breaks may be written as `\n`, because many environments allow only a single line. */
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

  /** Undefined if FCM is not configured. */
  get serviceAccount(): FirebaseServiceAccount | undefined {
    const { projectId, clientEmail, privateKey } = this;
    if (!projectId || !clientEmail || !privateKey) return undefined;
    return { projectId, clientEmail, privateKey };
  }
}
