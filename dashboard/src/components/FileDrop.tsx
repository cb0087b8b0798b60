import '@mantine/dropzone/styles.css';
import { Button, Group, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { IconUpload } from '@tabler/icons-react';
import { useRef } from 'react';

interface FileDropTexts {
  /** What the field is for. */
  readonly label: string;
  /** Stands in place of the name while there is no file. */
  readonly drop: string;
  readonly hint: string;
  readonly choose: string;
  readonly chooseAnother: string;
}

const MAX_SHOWN_CHARACTERS = 200;

/** A field that takes one file of any type, dropped or chosen. */
export function FileDrop(props: {
  readonly texts: FileDropTexts;
  readonly hasFile: boolean;
  readonly name: string | undefined;
  readonly onFile: (file: File) => void;
  readonly isReading?: boolean;
}) {
  const { texts, hasFile, name, onFile, isReading } = props;
  const openFile = useRef<() => void>(null);
  return (
    <Dropzone
      onDrop={([file]) => {
        if (file) onFile(file);
      }}
      onReject={([rejection]) => {
        if (rejection) onFile(rejection.file);
      }}
      multiple={false}
      openRef={openFile}
      activateOnClick={false}
      activateOnKeyboard={false}
      enablePointerEvents
      loading={isReading}
      role="group"
      tabIndex={undefined}
      aria-label={texts.label}
      inputProps={{ 'aria-label': texts.choose }}
      p="md"
    >
      <Group justify="center" gap="md">
        <IconUpload size={28} stroke={1.5} aria-hidden />
        <Stack gap={2} style={{ minWidth: 0 }}>
          <Text fw={600} className="outside-text">
            {name?.slice(0, MAX_SHOWN_CHARACTERS) ?? texts.drop}
          </Text>
          <Text size="sm" c="dimmed">
            {texts.hint}
          </Text>
        </Stack>
        <Button variant="default" onClick={() => openFile.current?.()}>
          {hasFile ? texts.chooseAnother : texts.choose}
        </Button>
      </Group>
    </Dropzone>
  );
}
