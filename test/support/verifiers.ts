import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from './program';

/** The input of a verification. */
export interface SignedCase {
  /** Base64. */
  readonly body: string;
  readonly secret: string;
  /** `X-Signature`, or `webhook-signature` if `standard` is set. */
  readonly signature: string;
  readonly standard?: { readonly id: string; readonly timestamp: string };
}

/** A language with a documented verification example. */
export interface Verifier {
  readonly language: string;
  readonly program: string;
  readonly versionArgument: string;
  readonly minimumVersion: readonly [number, number];
  /** The file name of the code block. */
  readonly file: string;
  /** Where the code is written, relative to the working directory. */
  readonly path: string;
  /** The program that reads the cases from standard input and calls the example. */
  readonly extraFiles: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

export const VERIFIERS: readonly Verifier[] = [
  {
    language: 'Node.js',
    program: 'node',
    versionArgument: '--version',
    minimumVersion: [20, 0],
    file: 'verify.mjs',
    path: 'verify.mjs',
    args: ['main.mjs'],
    extraFiles: {
      'main.mjs': `
import { readFileSync } from 'node:fs';
import { verifySignature, verifyStandard } from './verify.mjs';
const verdicts = JSON.parse(readFileSync(0, 'utf8')).map(({ body, secret, signature, standard }) => {
  const bytes = Buffer.from(body, 'base64');
  if (!standard) return verifySignature(bytes, signature, secret);
  return verifyStandard(bytes, standard.id, standard.timestamp, signature, secret);
});
console.log(JSON.stringify(verdicts));
`,
    },
  },
  {
    language: 'Python',
    program: 'python3',
    versionArgument: '--version',
    minimumVersion: [3, 7],
    file: 'verify.py',
    path: 'verify.py',
    args: ['main.py'],
    extraFiles: {
      'main.py': `
import base64, json, sys
from verify import verify_signature, verify_standard
def verdict(case):
    body, standard = base64.b64decode(case["body"]), case.get("standard")
    if not standard:
        return verify_signature(body, case["signature"], case["secret"])
    return verify_standard(body, standard["id"], standard["timestamp"], case["signature"], case["secret"])
print(json.dumps([verdict(case) for case in json.loads(sys.stdin.buffer.read())]))
`,
    },
  },
  {
    language: 'PHP',
    program: 'php',
    versionArgument: '--version',
    minimumVersion: [8, 0],
    file: 'verify.php',
    path: 'verify.php',
    args: ['main.php'],
    extraFiles: {
      'main.php': `<?php
require 'verify.php';
function verdict(array $case): bool
{
    $body = base64_decode($case['body']);
    $standard = $case['standard'] ?? null;
    if (!$standard) return verify_signature($body, $case['signature'], $case['secret']);
    ['id' => $id, 'timestamp' => $timestamp] = $standard;
    return verify_standard($body, $id, $timestamp, $case['signature'], $case['secret']);
}
echo json_encode(array_map('verdict', json_decode(file_get_contents('php://stdin'), true)));
`,
    },
  },
  {
    language: 'Go',
    program: 'go',
    versionArgument: 'version',
    minimumVersion: [1, 19],
    file: 'verify.go',
    path: join('webhook', 'verify.go'),
    args: ['run', '.'],
    extraFiles: {
      'go.mod': 'module example\n\ngo 1.19\n',
      'main.go': `
package main

import (
	"encoding/json"
	"os"

	"example/webhook"
)

type signed struct {
	Body      []byte
	Secret    string
	Signature string
	Standard  *struct{ Id, Timestamp string }
}

func main() {
	var cases []signed
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, c := range cases {
		if c.Standard == nil {
			verdicts = append(verdicts, webhook.VerifySignature(c.Body, c.Signature, c.Secret))
		} else {
			verdicts = append(verdicts, webhook.VerifyStandard(c.Body, c.Standard.Id, c.Standard.Timestamp, c.Signature, c.Secret))
		}
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`,
    },
  },
];

/** Verifies cases with the documented code of a language. @returns the results, in order. */
export async function runVerifier(
  { program, args, path, extraFiles }: Verifier,
  code: string,
  cases: readonly SignedCase[],
): Promise<boolean[]> {
  const {
    code: exitCode,
    output,
    error,
  } = await withTemporaryFolder({ [path]: code, ...extraFiles }, (directory) =>
    runProgram(program, args, {
      directory,
      input: JSON.stringify(cases),
      // No downloads.
      environment: { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '' },
    }),
  );
  if (exitCode !== 0) throw new Error(`${program} exited with ${exitCode}: ${error}`);
  return JSON.parse(output) as boolean[];
}

/** Runs work in a temporary folder with these files. */
export async function withTemporaryFolder<T>(
  files: Readonly<Record<string, string>>,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'messaging-gateway-docs-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
