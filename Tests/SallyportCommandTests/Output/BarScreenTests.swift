import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct BarScreenTests {
    @Test func `Bars are redrawn in place below messages`() {
        var screen = BarScreen()
        var terminal = ScreenModel(columns: 40)
        terminal.write("$ sallyport\n")
        terminal.write(screen.text(["one 10%", "two 20%"], columns: 40))
        #expect(terminal.lines == ["$ sallyport", "one 10%", "two 20%"])
        terminal.write(screen.text(["one 9%", "two 30%", "three"], columns: 40))
        #expect(terminal.lines == ["$ sallyport", "one 9%", "two 30%", "three"])
        terminal.write(screen.text(["two 40%"], above: ["one: done", "a word"], columns: 40))
        #expect(terminal.lines == ["$ sallyport", "one: done", "a word", "two 40%"])
        terminal.write(screen.text([], above: ["two: done"], columns: 40))
        #expect(terminal.lines == ["$ sallyport", "one: done", "a word", "two: done", ""])
        terminal.write(screen.text([], columns: 40))
        #expect(terminal.lines == ["$ sallyport", "one: done", "a word", "two: done", ""])
    }

    @Test func `Transfers without a bar are counted, and those of a queue that has not begun are waiting`() {
        #expect(TransferDisplay.remainder(0, belowBars: true) == nil)
        #expect(TransferDisplay.remainder(0, belowBars: false) == nil)
        #expect(TransferDisplay.remainder(2, belowBars: true) == "and 2 more")
        #expect(TransferDisplay.remainder(1, belowBars: false) == "1 waiting")
    }

    @Test func `Nothing is written if there is nothing to draw or clear`() {
        var screen = BarScreen()
        #expect(screen.text([], columns: 80).isEmpty)
        #expect(screen.text([], above: ["a line"], columns: 80) == "a line\n")
    }

    @Test func `Lines that a narrower terminal has wrapped are cleared completely`() {
        var screen = BarScreen()
        _ = screen.text([String(repeating: "a", count: 39), String(repeating: "b", count: 5)], columns: 40)
        // The lines as shown by a terminal that has become half as wide.
        var terminal = ScreenModel(columns: 20)
        terminal.write("$\n" + String(repeating: "a", count: 39) + "\n" + String(repeating: "b", count: 5))
        #expect(terminal.lines.count == 4)
        terminal.write(screen.text(["a", "b"], columns: 20))
        #expect(terminal.lines == ["$", "a", "b"])
    }
}
