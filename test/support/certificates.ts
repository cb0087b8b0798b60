import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A certificate and its private key, both PEM. */
export interface CertificateWithKey {
  readonly cert: string;
  readonly key: string;
}

// DER tags (X.690)

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const hex = (bytes: string): Buffer => Buffer.from(bytes, 'hex');
const ECDSA_WITH_SHA256 = der(SEQUENCE, hex('06082a8648ce3d040302'));
const COMMON_NAME = hex('0603550403');
const SUBJECT_ALT_NAME = hex('0603551d11');
const BASIC_CONSTRAINTS = hex('0603551d13');
const TRUE = hex('0101ff');

const nameOf = (text: string): Buffer =>
  der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(text)))));

const timeOf = (at: Date): Buffer =>
  der(GENERALIZED_TIME, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z`));

const altNameOf = (host: string): Buffer =>
  isIP(host)
    ? der(IP_ADDRESS, Buffer.from(ipaddr.parse(host).toByteArray()))
    : der(DNS_NAME, Buffer.from(host));

interface CertificateFields {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly expiresAt: Date;
  readonly extensions: readonly Buffer[];
}

function certificate(fields: CertificateFields): string {
  const content = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, hex('02'))),
    der(INTEGER, hex('01'), randomBytes(8)),
    ECDSA_WITH_SHA256,
    nameOf(fields.issuer),
    der(SEQUENCE, timeOf(new Date('2020-01-01')), timeOf(fields.expiresAt)),
    nameOf(fields.subject),
    fields.publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, ...fields.extensions)),
  );
  const signature = der(BIT_STRING, hex('00'), sign('sha256', content, fields.signingKey));
  const base64 = der(SEQUENCE, content, ECDSA_WITH_SHA256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const altNames = (hosts: readonly string[]): Buffer =>
  der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, der(SEQUENCE, ...hosts.map(altNameOf))));

const FAR_FUTURE = new Date('2049-01-01');

/** A certificate authority for one test. */
export class TestCa {
  private readonly keys = newKeys();
  private readonly name = `Test CA ${randomBytes(4).toString('hex')}`;

  /** PEM. */
  readonly cert = certificate({
    subject: this.name,
    issuer: this.name,
    publicKey: this.keys.publicKey,
    signingKey: this.keys.privateKey,
    expiresAt: FAR_FUTURE,
    extensions: [der(SEQUENCE, BASIC_CONSTRAINTS, TRUE, der(OCTET_STRING, der(SEQUENCE, TRUE)))],
  });

  /** @param hosts DNS names and IP addresses. */
  issue(hosts: readonly string[], expiresAt = FAR_FUTURE): CertificateWithKey {
    const { publicKey, privateKey } = newKeys();
    const cert = certificate({
      subject: 'Test server',
      issuer: this.name,
      publicKey,
      signingKey: this.keys.privateKey,
      expiresAt,
      extensions: [altNames(hosts)],
    });
    return { cert, key: pemOf(privateKey) };
  }
}

/** A self-signed certificate. @param hosts DNS names and IP addresses. */
export function selfSignedCertificate(hosts: readonly string[]): CertificateWithKey {
  const { publicKey, privateKey } = newKeys();
  const cert = certificate({
    subject: 'Test server',
    issuer: 'Test server',
    publicKey,
    signingKey: privateKey,
    expiresAt: FAR_FUTURE,
    extensions: [altNames(hosts)],
  });
  return { cert, key: pemOf(privateKey) };
}
