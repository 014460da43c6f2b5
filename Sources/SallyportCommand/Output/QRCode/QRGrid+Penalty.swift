extension QRGrid {
    /// How much there is that a camera may be confused by (ISO/IEC 18004, section 7.8.3); the mask with the least wins.
    var penalty: Int {
        let columns = (0..<size).map { column in modules.map { $0[column] } }
        let lines = modules + columns
        return lines.reduce(0) { $0 + Self.runs(in: $1) + Self.finders(in: $1) } + squares + imbalance
    }

    /// Three points for five modules of a colour in a row, and one for each that follows.
    private static func runs(in line: [Bool]) -> Int {
        var points = 0
        var length = 0
        for index in line.indices {
            length = index > 0 && line[index] == line[index - 1] ? length + 1 : 1
            if length == 5 { points += 3 } else if length > 5 { points += 1 }
        }
        return points
    }

    /// Forty points for what looks like a finder with four light modules before or after it; outside, all is light.
    private static func finders(in line: [Bool]) -> Int {
        let finder = [true, false, true, true, true, false, true]
        var points = 0
        for start in 0...line.count - finder.count where Array(line[start..<start + finder.count]) == finder {
            let before = line[max(0, start - 4)..<start]
            let after = line[(start + finder.count)...].prefix(4)
            if !before.contains(true) { points += 40 }
            if !after.contains(true) { points += 40 }
        }
        return points
    }

    /// Three points for each square of two by two modules of a colour.
    private var squares: Int {
        var points = 0
        for row in 1..<size {
            for column in 1..<size {
                let colour = modules[row][column]
                if colour == modules[row - 1][column], colour == modules[row][column - 1],
                    colour == modules[row - 1][column - 1]
                {
                    points += 3
                }
            }
        }
        return points
    }

    /// Ten points for each five in a hundred by which the dark modules are more or less than half.
    private var imbalance: Int {
        let dark = modules.reduce(0) { $0 + $1.count(where: \.self) }
        let total = size * size
        return abs(dark * 20 - total * 10) / total * 10
    }
}
