import { Code, Group, Stack, Table, Tabs, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton';
import { ShownSecret } from './SecretField';
import { useAddress } from './use-webhooks';
import go from './verification/verify.go.txt?raw';
import node from './verification/verify.mjs.txt?raw';
import php from './verification/verify.php.txt?raw';
import python from './verification/verify.py.txt?raw';
import shell from './verification/verify.sh.txt?raw';
import type { Webhook } from './webhook';
import classes from './Webhooks.module.css';

interface Language {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  /** Framework, raw body, header. */
  readonly reading: readonly (readonly [string, string, string])[];
}

/** The code of docs/use/webhooks.md. */
const LANGUAGES: readonly Language[] = [
  {
    id: 'node',
    name: 'Node.js',
    code: node,
    reading: [['Express', "request.body, express.raw({ type: '*/*' })", "request.get('x-signature') ?? ''"]],
  },
  {
    id: 'python',
    name: 'Python',
    code: python,
    reading: [
      ['Flask', 'request.get_data()', 'request.headers.get("x-signature", "")'],
      ['Django', 'request.body', 'request.headers.get("x-signature", "")'],
    ],
  },
  {
    id: 'php',
    name: 'PHP',
    code: php,
    reading: [['PHP', "file_get_contents('php://input')", "$_SERVER['HTTP_X_SIGNATURE'] ?? ''"]],
  },
  { id: 'go', name: 'Go', code: go, reading: [['Go', 'io.ReadAll(r.Body)', 'r.Header.Get("X-Signature")']] },
  { id: 'shell', name: 'OpenSSL', code: shell, reading: [] },
];

/** How a program checks a signature, in its language. */
export default function VerificationPanel({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation();
  const [{ language = 'node' }, change] = useAddress();
  return (
    <Stack maw={860}>
      <Title order={2}>{t('webhooks.verify.title')}</Title>
      <Text size="sm" c="dimmed">
        {t('webhooks.verify.text')}
      </Text>
      <ShownSecret value={webhook.signingSecret} />
      <Tabs value={language} onChange={(to) => change({ language: to ?? undefined })} keepMounted={false}>
        <Tabs.List aria-label={t('webhooks.verify.language')}>
          {LANGUAGES.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {LANGUAGES.map((each) => (
          <Tabs.Panel key={each.id} value={each.id} pt="md">
            <Snippet language={each} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

function Snippet({ language: { name, code, reading } }: { readonly language: Language }) {
  const { t } = useTranslation();
  return (
    <Stack>
      {reading.length > 0 && (
        <Table.ScrollContainer minWidth={0} type="native">
          <Table withTableBorder aria-label={name}>
            <Table.Thead>
              <Table.Tr>
                <Table.Td />
                <Table.Th>{t('webhooks.verify.rawBody')}</Table.Th>
                <Table.Th>{t('webhooks.verify.header')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {reading.map(([framework, body, header]) => (
                <Table.Tr key={framework}>
                  <Table.Th scope="row">{framework}</Table.Th>
                  <Table.Td>
                    <Code style={{ overflowWrap: 'anywhere' }}>{body}</Code>
                  </Table.Td>
                  <Table.Td>
                    <Code style={{ overflowWrap: 'anywhere' }}>{header}</Code>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Stack gap={2}>
        <Group justify="flex-end">
          <CopyButton value={code} label={t('webhooks.verify.copy')} />
        </Group>
        <Code
          block
          className={classes.code}
          tabIndex={0}
          role="region"
          aria-label={name}
          style={{ overflowX: 'auto' }}
        >
          {code}
        </Code>
      </Stack>
    </Stack>
  );
}
