// The Docker engine: anything of this machine that speaks the Docker API. Slower than bubblewrap, and at home where that is not.
import type { EngineReport, Sandbox, SandboxPlan, Session } from "../../../ports/sandbox.js";
import { fault } from "../faults.js";
import { probe } from "../probe.js";
import { type Toolchain, toolchain } from "../toolchain.js";
import { API_OLDEST, DockerApi } from "./api.js";
import { type Image, imageFor } from "./image.js";
import { isLeft } from "./mark.js";
import { subjectOf } from "./probe.js";
import { seccompProfile } from "./seccomp-profile.js";
import { DockerSession } from "./session.js";
import { type Env, placeOf } from "./socket.js";

const HELLO_MS_MAX = 10_000;
const SWEEP_MS_MAX = 5_000;

export class DockerEngine implements Sandbox {
  readonly engine = "docker";
  private readonly images = new Map<string, Promise<Image>>();
  private reached?: { api: DockerApi; version: string };
  private found?: Toolchain;

  constructor(private readonly env: Env) {}

  async probe(signal: AbortSignal, wish: Pick<SandboxPlan["isolation"], "image" | "pull"> = {}): Promise<EngineReport> {
    const report = await probe(
      subjectOf(this, pick(wish), {
        version: async () => (await this.reach(signal)).version,
        image: () => this.image(wish, signal),
      }),
      signal,
    );
    const place = await this.reach(signal).then(
      ({ api }) => `${api.place.path} (${api.place.from})`,
      () => undefined,
    );
    const image = report.usable ? (await this.image(wish, signal)).digest : undefined;
    const ground = [place, image && `image ${image}`].filter(Boolean).join(", ");
    return { ...report, ...(ground && { ground }) };
  }

  async open(plan: SandboxPlan, signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted();
    const { api, version } = await this.reach(signal);
    const image = await this.image(plan.isolation, signal);
    const seccomp = JSON.stringify(seccompProfile());
    return new DockerSession(plan, {
      api,
      version,
      image,
      seccomp,
      toolchain: image.borrows ? this.tools() : undefined,
    });
  }

  async sweep(): Promise<void> {
    try {
      const api = new DockerApi(placeOf(this.env));
      const filters = encodeURIComponent(JSON.stringify({ label: ["dev.pawl.owner"] }));
      const found = await api.call("GET", `/containers/json?all=1&filters=${filters}`, { timeoutMs: SWEEP_MS_MAX });
      for (const { Id, Labels } of found as { Id: string; Labels: Record<string, string> }[]) // as documented
        if (isLeft(Labels["dev.pawl.owner"] ?? "")) await api.ask("DELETE", `/containers/${Id}?force=1&v=1`);
    } catch {
      // no engine: then it has no containers that live
    }
  }

  private tools(): Toolchain {
    this.found ??= toolchain();
    return this.found;
  }
  /** Each wish is looked up once: what was probed is what is used. */
  private image(wish: Pick<SandboxPlan["isolation"], "image" | "pull">, signal: AbortSignal): Promise<Image> {
    const key = wish.image ?? "host";
    const kept = this.images.get(key);
    if (kept) return kept;
    const image = this.reach(signal).then(({ api }) => {
      if (key === "host" && process.platform !== "linux")
        throw fault(
          "sbx-image-missing",
          `\`image: host\` takes the programs of a Linux machine, and this is ${process.platform}`,
          'name an image in the loop file: `isolation: {image: "node:22"}`',
        );
      return imageFor(api, wish, () => this.tools(), signal);
    });
    this.images.set(key, image);
    image.catch(() => this.images.delete(key)); // a "no" is asked again
    return image;
  }
  /** Says hello, and learns how to speak. Throws a FaultError. */
  private async reach(signal: AbortSignal): Promise<{ api: DockerApi; version: string }> {
    if (this.reached) return this.reached;
    const api = new DockerApi(placeOf(this.env));
    const asked = await api.call("GET", "/version", { timeoutMs: HELLO_MS_MAX, signal });
    const { Version, ApiVersion, MinAPIVersion, Os } = Object(asked) as Record<string, string | undefined>; // texts, as documented
    if (Os === "windows")
      throw fault(
        "sbx-windows-containers",
        `the Docker engine at "${api.place.path}" runs Windows containers`,
        "switch Docker Desktop to Linux containers",
      );
    if (!ApiVersion || isOlder(ApiVersion, API_OLDEST))
      throw fault(
        "sbx-docker-old",
        `the Docker engine at "${api.place.path}" is ${Version ?? "of an unknown version"} and speaks API ${ApiVersion ?? "unknown"}; ${API_OLDEST} is needed`,
        "upgrade Docker to 20.10 or later",
      );
    api.speak(MinAPIVersion && isOlder(API_OLDEST, MinAPIVersion) ? MinAPIVersion : API_OLDEST);
    this.reached = { api, version: Version ?? ApiVersion };
    return this.reached;
  }
}

/** Of a whole profile nothing else: the caps of a probe are its own. */
const pick = ({ image, pull }: Pick<SandboxPlan["isolation"], "image" | "pull">) => ({
  ...(image !== undefined && { image }),
  ...(pull !== undefined && { pull }),
});

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [thanMajor = 0, thanMinor = 0] = than.split(".").map(Number);
  return major < thanMajor || (major === thanMajor && minor < thanMinor);
}
