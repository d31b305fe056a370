import type { RequestOptions, Requests } from './requests.js';

/** A file that the server keeps for a session. */
export interface Attachment {
  readonly id: string;
  /** Its path at this server; goes into a message as the `url` of a file part. */
  readonly url: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly filename: string | null;
}

/** A file as a part of a message. */
export interface FilePart {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string;
  readonly url: string;
}

/** Files of sessions. */
export class Attachments {
  /** @internal */
  constructor(private readonly requests: Requests) {}

  /** Keeps a file, for a message that names it soon. */
  upload(session: string, file: Blob, options: RequestOptions & { filename?: string } = {}): Promise<Attachment> {
    const { filename, ...rest } = options;
    return this.requests.json(this.requests.path('sessions', session, 'attachments'), {
      method: 'POST',
      query: { filename },
      body: file,
      contentType: file.type === '' ? 'application/octet-stream' : file.type,
      ...rest,
    });
  }

  /** The content of an attachment, by its `url`. A page cannot give its key to an image element, so it shows what comes from here. */
  load(url: string, options: RequestOptions = {}): Promise<Blob> {
    return this.requests.blob(url, options);
  }

  /** What a message carries. */
  static part(attachment: Attachment): FilePart {
    const { mediaType, filename, url } = attachment;
    return { type: 'file', mediaType, url, ...(filename === null ? {} : { filename }) };
  }
}
