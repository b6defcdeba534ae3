// What a timeline is drawn with: a canvas, or the text of an SVG.

export interface Pen {
  fill(x: number, y: number, width: number, height: number, colour: string, opacity?: number): void;
  frame(x: number, y: number, width: number, height: number, colour: string, opacity?: number): void;
  text(words: string, x: number, y: number, colour: string, opacity?: number): void;
  line(x1: number, y1: number, x2: number, y2: number, colour: string): void;
}

const kFont = "12px system-ui, sans-serif";

export class CanvasPen implements Pen {
  private readonly context: CanvasRenderingContext2D;

  constructor(canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d")!;
    const scale = devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * scale);
    const height = Math.round(canvas.clientHeight * scale);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.font = kFont;
  }

  fill(x: number, y: number, width: number, height: number, colour: string, opacity = 1): void {
    this.context.globalAlpha = opacity;
    this.context.fillStyle = colour;
    this.context.fillRect(x, y, width, height);
  }
  frame(x: number, y: number, width: number, height: number, colour: string, opacity = 1): void {
    this.context.globalAlpha = opacity;
    this.context.strokeStyle = colour;
    this.context.strokeRect(x + 0.5, y + 0.5, Math.max(0, width - 1), height - 1);
  }
  text(words: string, x: number, y: number, colour: string, opacity = 1): void {
    this.context.globalAlpha = opacity;
    this.context.fillStyle = colour;
    this.context.fillText(words, x, y);
  }
  line(x1: number, y1: number, x2: number, y2: number, colour: string): void {
    this.context.globalAlpha = 1;
    this.context.strokeStyle = colour;
    this.context.beginPath();
    this.context.moveTo(x1, y1);
    this.context.lineTo(x2, y2);
    this.context.stroke();
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`).replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, "\ufffd");
}

function short(number: number): string {
  return String(Math.round(number * 100) / 100);
}

export class SvgPen implements Pen {
  private readonly parts: string[] = [];

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {}

  fill(x: number, y: number, width: number, height: number, colour: string, opacity = 1): void {
    this.rect(x, y, width, height, `fill="${colour}"`, opacity);
  }
  frame(x: number, y: number, width: number, height: number, colour: string, opacity = 1): void {
    this.rect(x + 0.5, y + 0.5, Math.max(0, width - 1), height - 1, `fill="none" stroke="${colour}"`, opacity);
  }
  text(words: string, x: number, y: number, colour: string, opacity = 1): void {
    this.parts.push(`<text x="${short(x)}" y="${short(y)}" fill="${colour}"${this.seen(opacity)}>${escaped(words)}</text>`);
  }
  line(x1: number, y1: number, x2: number, y2: number, colour: string): void {
    this.parts.push(`<path d="M${short(x1)} ${short(y1)}L${short(x2)} ${short(y2)}" stroke="${colour}"/>`);
  }
  toString(): string {
    const size = `width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="system-ui, sans-serif" font-size="12">\n${this.parts.join("\n")}\n</svg>\n`;
  }

  private rect(x: number, y: number, width: number, height: number, paint: string, opacity: number): void {
    this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ${paint}${this.seen(opacity)}/>`);
  }
  private seen(opacity: number): string {
    return opacity === 1 ? "" : ` opacity="${opacity}"`;
  }
}
